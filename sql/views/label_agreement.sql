-- label_agreement
-- One row per pair of authors who labelled the same moments: how often they say the same.
-- Key: author, other_author.
-- Reads: label_moments.
-- Units: *_count a count, *_rate 0..1.
-- author: the one who comes first by name; "not supplied" where nobody is named.
-- other_author: the other one.
-- call_count: calls in which both labelled a moment.
-- trial_count: moments both labelled, each with one expectation.
-- agreement_count: those of which both say yield, or both say hold.
-- both_yield_count: both say yield.
-- both_hold_count: both say hold.
-- yield_hold_count: the first says yield, the other hold.
-- hold_yield_count: the first says hold, the other yield.
-- agreement_rate: agreement_count / trial_count; raw: what chance alone would give is not taken off.
-- agreement_rate_low: lower end of the 95 % Wilson interval, moments taken for independent.
-- agreement_rate_high: its upper end.
-- unclear_count: moments left out since one of the two said both, or nothing.
-- A moment is that of label_moments: labels within 0.25 s of its first one.
with
said as (
    select
        call_id, moment_s, author,
        case when count(distinct expect) = 1 then any_value(expect) end as expect
    from label_moments
    group by call_id, moment_s, author
),
pairs as (
    select
        one.author, other.author as other_author, one.call_id,
        one.expect as said_one, other.expect as said_other,
        one.expect is not null and other.expect is not null as clear
    from said as one
    join said as other
        on
            one.call_id = other.call_id
            and one.moment_s is not distinct from other.moment_s
            and one.author < other.author
),
counted as (
    select
        author,
        other_author,
        count(distinct call_id) filter (where clear) as call_count,
        count(*) filter (where clear) as trial_count,
        count(*) filter (where said_one = said_other) as agreement_count,
        count(*) filter (where said_one = 'yield' and said_other = 'yield') as both_yield_count,
        count(*) filter (where said_one = 'hold' and said_other = 'hold') as both_hold_count,
        count(*) filter (where said_one = 'yield' and said_other = 'hold') as yield_hold_count,
        count(*) filter (where said_one = 'hold' and said_other = 'yield') as hold_yield_count,
        count(*) filter (where not clear) as unclear_count
    from pairs
    group by author, other_author
)
select
    author,
    other_author,
    call_count,
    trial_count,
    agreement_count,
    both_yield_count,
    both_hold_count,
    yield_hold_count,
    hold_yield_count,
    share(agreement_count, trial_count) as agreement_rate,
    wilson_low(agreement_count, trial_count) as agreement_rate_low,
    wilson_high(agreement_count, trial_count) as agreement_rate_high,
    unclear_count
from counted
