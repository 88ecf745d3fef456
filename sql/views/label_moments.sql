-- label_moments
-- One row per standing label that says what an agent should have done, with the moment it speaks of.
-- Key: call_id, label_id.
-- Reads: standing_labels.
-- Units: *_s seconds, *_count a count.
-- call_id: call.
-- label_id: label.
-- moment_s: time of the first label of the moment; empty: the label names no time.
-- onset_s: time of this label; empty: it names none.
-- expect: what it says the agent should do, yield or hold; empty: it does not say.
-- author: who labelled; "not supplied" where nobody is named.
-- label_count: standing labels of the moment.
-- author_count: authors who gave them.
-- authors: their names, in order.
-- disagree: whether some say yield and some say hold.
-- counted: whether the moment is counted by this label: one of each moment is.
-- Labels of a call lie at one moment when they are within 0.25 s of its first one; those without a time are one moment.
-- Counted is the label with the tightest bounds (talk-over, then time to yield), of several the first that was given.
with
said as (
    select
        call_id, label_id, onset_s, expect, coalesce(author, 'not supplied') as author, recorded_at,
        try_cast(value ->> '$.max_talk_over_s' as double) as max_talk_over_s,
        try_cast(value ->> '$.max_time_to_yield_s' as double) as max_time_to_yield_s
    from standing_labels
    where kind = 'expectation'
),
starts as (
    select
        call_id,
        list_reduce(
            list([onset_s] order by onset_s),
            lambda found, next:
                case when next[1] - found[-1] <= 0.25::double + 1e-9::double then found else list_concat(found, next) end
        ) as starts_s
    from said
    where onset_s is not null
    group by call_id
),
placed as (
    select
        said.*,
        list_max(list_filter(starts.starts_s, lambda start_s: start_s <= said.onset_s)) as moment_s
    from said
    left join starts using (call_id)
)
select
    call_id,
    label_id,
    moment_s,
    onset_s,
    expect,
    author,
    count(*) over moment as label_count,
    count(distinct author) over moment as author_count,
    string_agg(distinct author, ', ' order by author) over moment as authors,
    count(distinct expect) over moment > 1 as disagree,
    row_number() over (
        partition by call_id, moment_s
        order by
            expect is null, max_talk_over_s nulls last, max_time_to_yield_s nulls last,
            recorded_at nulls first, label_id
    ) = 1 as counted
from placed
window moment as (partition by call_id, moment_s)
