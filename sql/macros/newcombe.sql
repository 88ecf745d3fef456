-- newcombe
-- newcombe_low(k1, n1, k2, n2) and newcombe_high(...): 95 % interval of k1/n1 - k2/n2, independent samples.
-- Reads: wilson, share.
-- Newcombe 1998, method 10: d - sqrt((p1-l1)^2 + (u2-p2)^2) and d + sqrt((u1-p1)^2 + (p2-l2)^2),
-- where l and u are the Wilson bounds of each proportion. NULL where an arm has no trials.
-- Not for the same calls under two conditions: those are paired.
create or replace macro newcombe_low(k1, n1, k2, n2) as
    greatest(
        case when n1 > 0 and n2 > 0 then -1.0::double end,
        share(k1, n1) - share(k2, n2) - sqrt(
            pow(share(k1, n1) - wilson_low(k1, n1), 2) + pow(wilson_high(k2, n2) - share(k2, n2), 2)
        )
    );

create or replace macro newcombe_high(k1, n1, k2, n2) as
    least(
        case when n1 > 0 and n2 > 0 then 1.0::double end,
        share(k1, n1) - share(k2, n2) + sqrt(
            pow(wilson_high(k1, n1) - share(k1, n1), 2) + pow(share(k2, n2) - wilson_low(k2, n2), 2)
        )
    );
