-- share
-- share(successes, trials): successes / trials as a double, NULL where there are no trials.
create or replace macro share(successes, trials) as
    case when trials > 0 then successes::double / trials::double end;
