"""Proofs as JUnit XML, for whatever shows the results of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from workbench.text.visible import marked

if TYPE_CHECKING:
    from workbench.timing.contracts.proving import Proof


def xml(proofs: Sequence[Proof], *, claim: str) -> str:
    """Return proofs as one test suite.

    Parameters
    ----------
    proofs : sequence of Proof
        One test case each: FAIL and TAMPERED are failures, REFUSED is an error.
    claim : str
        The sentence that says how far they reach; it stands in the suite.

    Returns
    -------
    str
        The same for the same proofs; without times.
    """
    failed = [proof for proof in proofs if proof.status in ("FAIL", "TAMPERED")]
    refused = [proof for proof in proofs if proof.status == "REFUSED"]
    counts = {"tests": len(proofs), "failures": len(failed), "errors": len(refused), "skipped": 0}
    suite = ET.Element("testsuite", {"name": "workbench prove", **{name: str(count) for name, count in counts.items()}})
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", {"name": "claim", "value": claim})
    for proof in proofs:
        names = {"classname": "contract", "name": marked(proof.contract_id or proof.path)}
        case = ET.SubElement(suite, "testcase", names)
        kind = {"FAIL": "failure", "TAMPERED": "failure", "REFUSED": "error"}.get(proof.status)
        if kind:
            ET.SubElement(case, kind, {"type": proof.status, "message": marked(proof.reason or "no reason")})
        lines = [f"authenticity: {proof.authenticity or 'not read'}"]
        lines += [f"{name} was {stored} ({proof.engine_stored}) and is {now}" for name, stored, now in proof.drift]
        ET.SubElement(case, "system-out").text = marked("\n".join(lines))
    ET.indent(suite)
    text: bytes = ET.tostring(suite, encoding="utf-8", xml_declaration=True)
    return text.decode() + "\n"
