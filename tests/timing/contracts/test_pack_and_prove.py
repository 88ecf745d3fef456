"""Contracts packed, unpacked, proven: the same bytes, four states, and what a signature says."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from workbench.timing.contracts import members
from workbench.timing.contracts.document import Label, Tampered, contract_id, decode
from workbench.timing.contracts.junit import xml
from workbench.timing.contracts.making import judged
from workbench.timing.contracts.packing import packed, unpacked, verified
from workbench.timing.contracts.proving import claim_of, contracts_in, counted_once, prove

KEY = b"a key for this test"


def rewritten(folder: Path, **changes: object) -> None:
    """Change the document and write a new manifest, as one who has no key can."""
    document = json.loads((folder / members.DOCUMENT).read_text())
    for path, value in changes.items():
        part = document
        *parents, last = path.split("__")
        for name in parents:
            part = part[name]
        part[last] = value
    contract = msgspec.convert(document, type(decode((folder / members.DOCUMENT).read_bytes(), where="")))
    name = contract_id(contract.label, contract.policy, contract.digests.clip_pcm_sha256)
    content = msgspec.structs.replace(contract, contract_id=name).encode()
    files = members.read(folder)
    evidence = {item: files[item] for item in members.EVIDENCE} | {members.DOCUMENT: content}
    for item, made in members.sealed(evidence).items():
        (folder / item).write_bytes(made)


def test_packing_gives_the_same_bytes_each_time(tmp_path: Path, folder: Path) -> None:
    first = packed(verified(folder))
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    assert packed(verified(folder)) == first
    (tmp_path / "one.zip").write_bytes(first)
    assert packed(unpacked(tmp_path / "one.zip")) == first


def test_a_signed_contract_packs_alike_and_keeps_its_signature(tmp_path: Path, folder: Path) -> None:
    first = packed(verified(folder, key=KEY))
    (tmp_path / "one.zip").write_bytes(first)
    files = unpacked(tmp_path / "one.zip")
    assert packed(files) == first
    assert members.authenticity(files, key=KEY) == "authenticated"
    assert members.authenticity(files, key=b"another") == "signature does not match"
    assert members.authenticity(files, key=None) == "signed, and no key was given to check it"


def test_a_sound_contract_passes_and_says_it_is_unsigned(folder: Path) -> None:
    """The bundled hard interruption yields 0.20 s after 2.0 s."""
    (proof,) = prove([folder], engine="9.9")
    assert (proof.status, proof.reason, proof.drift, proof.frames_drift) == ("PASS", None, [], 0)
    assert proof.now is not None
    assert proof.now["time_to_yield_s"] == 0.2
    assert proof.authenticity == "unsigned but internally consistent"
    assert (proof.engine_stored, proof.engine_now) == ("0.0.1", "9.9")
    assert proof.evidence_level == "re-verified same audio"


def test_a_contract_that_fails_its_policy_fails(folder: Path) -> None:
    rewritten(folder, policy__max_time_to_yield_s=0.1)
    (proof,) = prove([folder], engine="1")
    assert (proof.status, proof.reason) == ("FAIL", "slow_to_yield")
    drifted = {name: (stored, now) for name, stored, now in proof.drift}
    assert drifted["status"] == ("PASS", "FAIL")
    assert drifted["decision_margin_s"] == (0.8, -0.1)


def test_looser_bounds_without_a_key_are_not_noticed_but_with_one_are(folder: Path) -> None:
    """The hole that only a signature closes: an unsigned contract is merely consistent."""
    for name, content in verified(folder, key=KEY).items():
        (folder / name).write_bytes(content)
    signed = (folder / members.SIGNATURE).read_bytes()
    assert prove([folder], engine="1", key=KEY)[0].authenticity == "authenticated"
    rewritten(folder, policy__max_time_to_yield_s=99.0)
    (folder / members.SIGNATURE).write_bytes(signed)
    (proof,) = prove([folder], engine="1", key=KEY)
    assert (proof.status, proof.authenticity) == ("TAMPERED", "signature does not match")
    (folder / members.SIGNATURE).unlink()
    assert prove([folder], engine="1", key=KEY)[0].authenticity == "unsigned but internally consistent"
    (proof,) = prove([folder], engine="1", key=KEY, require_signature=True)
    assert (proof.status, proof.now) == ("REFUSED", None)


@pytest.mark.parametrize("name", [*members.EVIDENCE, members.MANIFEST])
def test_any_changed_byte_is_tampering(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    at = content.index(b'"contract.json": "') + 20 if name == members.MANIFEST else len(content) // 2
    content[at] = ord("0") if content[at] != ord("0") else ord("1")
    path.write_bytes(content)
    assert prove([folder], engine="1")[0].status == "TAMPERED"


def test_another_clip_with_a_new_manifest_is_tampering(folder: Path) -> None:
    clip = bytearray((folder / members.CLIP).read_bytes())
    clip[-2:] = b"\x01\x02"
    (folder / members.CLIP).write_bytes(clip)
    rewritten(folder)
    assert prove([folder], engine="1")[0].status == "TAMPERED"


def test_another_label_without_another_name_is_tampering(folder: Path) -> None:
    document = json.loads((folder / members.DOCUMENT).read_text())
    document["label"]["expect"] = "hold"
    files = {name: members.read(folder)[name] for name in members.EVIDENCE}
    for name, content in members.sealed(files | {members.DOCUMENT: json.dumps(document).encode()}).items():
        (folder / name).write_bytes(content)
    (proof,) = prove([folder], engine="1")
    assert (proof.status, "does not follow" in (proof.reason or "")) == ("TAMPERED", True)


def test_an_onset_where_the_agent_is_silent_is_refused(folder: Path) -> None:
    rewritten(folder, label__onset_s=5.0)
    (proof,) = prove([folder], engine="1")
    assert (proof.status, proof.reason) == ("REFUSED", "agent_silent_at_onset")


def test_a_policy_of_a_newer_version_is_refused(folder: Path) -> None:
    score = json.loads((folder / members.DOCUMENT).read_text())["policy"]["score"]
    rewritten(folder, policy__score=score | {"patience_s": 1.0})
    (proof,) = prove([folder], engine="1")
    assert (proof.status, "patience_s" in (proof.reason or "")) == ("REFUSED", True)


def test_a_linked_clip_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / members.CLIP).rename(tmp_path / "elsewhere.wav")
    (folder / members.CLIP).symlink_to(tmp_path / "elsewhere.wav")
    (proof,) = prove([folder], engine="1")
    assert (proof.status, "link" in (proof.reason or "")) == ("REFUSED", True)


def test_the_states_stand_apart_and_copies_are_one_piece_of_evidence(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "two.contract.zip").write_bytes(packed(verified(folder)))
    rewritten(folder, policy__max_time_to_yield_s=0.9)  # another contract on the same recording
    (tmp_path / "bad.contract.zip").write_bytes(b"no archive")
    found = contracts_in([tmp_path])
    assert [path.name for path in found] == ["bad.contract.zip", "one.contract", "two.contract.zip"]
    proofs = prove(found, engine="1")
    assert [proof.status for proof in proofs] == ["REFUSED", "PASS", "PASS"]
    assert proofs[1].same_audio_as == [f"{proofs[2].contract_id} (same_pcm)"]
    suite = ET.fromstring(xml(proofs, claim="a claim"))
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("3", "0", "1")
    (said,) = suite.findall("properties/property")
    assert said.attrib == {"name": "claim", "value": "a claim"}
    assert [child.tag for child in suite.findall("testcase")[0]] == ["error", "system-out"]


def test_a_clip_judged_alone_follows_the_label(files: dict[str, bytes]) -> None:
    contract = decode(files[members.DOCUMENT], where="")
    held = Label(expect="hold", onset_s=2.0, author="A", authority="human")
    found = judged(files[members.CLIP], held, contract.policy, where="")
    assert (found.event["status"], found.event["reason"]) == ("FAIL", "false_yield")


@pytest.mark.parametrize("name", ["notes.txt", "audio/other.wav", "audio/more/deep.wav", ".hidden", "audio.bak"])
def test_a_file_that_no_contract_has_is_tampering_in_a_folder_as_in_an_archive(folder: Path, name: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"something else")
    (proof,) = prove([folder], engine="1")
    shown = "audio/more" if "more" in name else name
    assert (proof.status, proof.reason) == ("TAMPERED", f"{shown} is not declared")
    assert (proof.now, proof.evidence_level) == (None, None)
    with pytest.raises(Tampered, match="is not declared"):
        verified(folder)


def test_of_many_strange_files_a_few_are_named(folder: Path) -> None:
    for ix in range(9):
        (folder / f"x{ix}").mkdir()
    (proof,) = prove([folder], engine="1")
    assert proof.reason == "; ".join(f"x{ix} is not declared" for ix in range(5)) + "; and 4 more"


def test_only_what_was_measured_is_said_to_have_been(tmp_path: Path, folder: Path) -> None:
    """A digest that does not fit and a signature that is required leave the clip unheard."""
    other = tmp_path / "other.contract"
    shutil.copytree(folder, other)
    (other / members.TRUST).write_bytes(b"{}")
    nothing = "Nothing was measured: it says nothing of any call, and nothing of today's agent."
    for proofs in (prove([other], engine="1"), prove([folder], engine="1", require_signature=True)):
        assert [proof.evidence_level for proof in proofs] == [None]
        assert claim_of(proofs) == nothing
        assert f'value="{nothing}"' in xml(proofs, claim=claim_of(proofs))
    assert claim_of(prove([other, folder], engine="1")).startswith("1 of 2 contracts was measured again. No call was")
    assert claim_of(prove([folder], engine="1")).startswith("1 of 1 contract was measured again. No call was made")


def test_a_contract_and_its_copy_are_one_contract_and_count_once(tmp_path: Path, folder: Path) -> None:
    """A second folder with the same bytes: the document is the same, so there is one piece of evidence."""
    other = tmp_path / "elsewhere" / folder.name
    shutil.copytree(folder, other)
    proofs = prove([folder, other], engine="1")
    assert [(proof.status, proof.same_audio_as) for proof in proofs] == [("PASS", [])] * 2
    assert [proof.same_contract_as for proof in proofs] == [None, str(folder)]
    assert claim_of(counted_once(proofs)).startswith("1 of 1 contract was measured again.")
