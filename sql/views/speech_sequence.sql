-- speech_sequence
-- One row per run of speech, in the order of the call, with what came before it.
-- Key: call_id, role, run_ix.
-- Reads: speech_runs.
-- Units: *_s seconds, *_ix 0-based.
-- call_id: call.
-- role: caller, agent, or mixed where one channel carries both.
-- run_ix: position among the role's runs.
-- clock: audio, transcript, ticks or quantised.
-- start_s: start.
-- end_s: end.
-- caller_end_s: end of the caller's speech that this run answers; empty: not an answer.
-- caller_turn_ix: last turn of that speech; empty: not an answer, or read from audio.
-- turn_ix: first turn of this run; empty: read from audio.
-- gap_s: an answer of the agent: from the caller's end to its start; empty: not an answer, see turn_gaps.
-- other_start_s: start of the other role's last run that began before; empty: none began.
-- other_end_s: end of that run; empty: none began.
-- overlap_s: both speaking, from this start; empty: the other was silent.
-- quiet_from_s: end of all speech before; empty: the first run.
-- who_before: who spoke until then; empty: the first run.
-- silence_s: nobody speaking, until this start; empty: somebody spoke, or the first run.
-- Who answers whom is read from whole turns: in audio one ends where its speaker is quiet for 0.35 s (0.2 s after a
-- hangover of 0.15 s, as in the scoring of labelled moments), so a shorter pause of either asks for no answer and is
-- none. gap_s, overlap_s and silence_s are rounded to a microsecond, so that a difference of 1.5 s is 1.5 and a bound
-- of 1.5 s is met. turn_gaps, overlaps and silences each show one kind of these rows and say what it means.
with edges as (
    select
        *,
        clock <> 'audio' or coalesce(start_s - lag(end_s) over own >= 0.35::double - 1e-9::double, true) as opens,
        clock <> 'audio' or coalesce(lead(start_s) over own - end_s >= 0.35::double - 1e-9::double, true) as closes
    from speech_runs
    window own as (partition by call_id, role order by run_ix)
),
in_turns as (
    select
        *,
        last_value(case when opens then start_s end ignore nulls) over so_far as from_s,
        first_value(case when closes then end_s end ignore nulls) over from_here as until_s
    from edges
    window
        so_far as (
            partition by call_id, role order by run_ix rows between unbounded preceding and current row
        ),
        from_here as (
            partition by call_id, role order by run_ix rows between current row and unbounded following
        )
),
sequence as (
    select
        *,
        last_value(case when role = 'caller' then start_s end ignore nulls) over earlier as caller_start_s,
        last_value(case when role = 'caller' then end_s end ignore nulls) over earlier as caller_end_s,
        last_value(case when role = 'caller' then from_s end ignore nulls) over earlier as caller_from_s,
        last_value(case when role = 'caller' then until_s end ignore nulls) over earlier as caller_until_s,
        last_value(case when role = 'caller' then open_end end ignore nulls) over earlier as caller_open_end,
        last_value(case when role = 'caller' then last_turn_ix end ignore nulls) over earlier as caller_turn_ix,
        last_value(case when role = 'agent' then start_s end ignore nulls) over earlier as agent_start_s,
        last_value(case when role = 'agent' then end_s end ignore nulls) over earlier as agent_end_s,
        last_value(case when role = 'agent' then from_s end ignore nulls) over earlier as agent_from_s,
        max(end_s) over earlier as quiet_from_s,
        arg_max(role, end_s) over earlier as who_before
    from in_turns
    window earlier as (
        partition by call_id order by start_s, end_s, role
        rows between unbounded preceding and 1 preceding
    )
),
facing as (
    select
        *,
        case role when 'agent' then caller_start_s when 'caller' then agent_start_s end as other_start_s,
        case role when 'agent' then caller_end_s when 'caller' then agent_end_s end as other_end_s,
        role = 'agent'
            and opens
            and not caller_open_end
            and start_s >= caller_until_s - 0.05::double
            and (
                agent_from_s is null
                or (
                    agent_end_s <= caller_until_s + 0.3::double
                    and agent_from_s < greatest(caller_from_s, caller_until_s - 0.05::double)
                )
            ) as is_answer
    from sequence
)
select
    call_id,
    role,
    run_ix,
    clock,
    start_s,
    end_s,
    case when is_answer then caller_until_s end as caller_end_s,
    case when is_answer then caller_turn_ix end as caller_turn_ix,
    first_turn_ix as turn_ix,
    case when is_answer then round(greatest(0.0::double, start_s - caller_until_s), 6) end as gap_s,
    other_start_s,
    other_end_s,
    case when least(end_s, other_end_s) > start_s and other_end_s is not null
        then round(least(end_s, other_end_s) - start_s, 6) end as overlap_s,
    quiet_from_s,
    who_before,
    case when start_s > quiet_from_s then round(start_s - quiet_from_s, 6) end as silence_s
from facing
