-- wilson
-- wilson_low(successes, trials) and wilson_high(...): 95 % interval of one proportion, both ends in 0..1.
-- Wilson 1927: (p + z2/2n -+ z sqrt(p (1-p)/n + z2/4n2)) / (1 + z2/n), z = 1.959963984540054.
-- NULL where a count is NULL or there are no trials; an error where successes lie outside 0..trials.
-- The ends at successes = 0 and successes = trials are exactly 0 and 1.
-- Fractional counts are taken as they are, so that an effective number of trials can be given.
create or replace macro wilson_low(successes, trials) as
    case
        when successes is null or trials is null or trials = 0 then null::double
        when successes < 0 or successes > trials then error('wilson_low: successes must lie in 0..trials')
        when successes = 0 then 0.0::double
        else greatest(0.0::double, (
            successes::double / trials::double
            + 3.841458820694124::double / (2 * trials::double)
            - 1.959963984540054::double * sqrt(
                successes::double / trials::double * (1 - successes::double / trials::double) / trials::double
                + 3.841458820694124::double / (4 * trials::double * trials::double)
            )
        ) / (1 + 3.841458820694124::double / trials::double))
    end;

create or replace macro wilson_high(successes, trials) as
    case
        when successes is null or trials is null or trials = 0 then null::double
        when successes < 0 or successes > trials then error('wilson_high: successes must lie in 0..trials')
        when successes = trials then 1.0::double
        else least(1.0::double, (
            successes::double / trials::double
            + 3.841458820694124::double / (2 * trials::double)
            + 1.959963984540054::double * sqrt(
                successes::double / trials::double * (1 - successes::double / trials::double) / trials::double
                + 3.841458820694124::double / (4 * trials::double * trials::double)
            )
        ) / (1 + 3.841458820694124::double / trials::double))
    end;
