-- Variables of checks were kept among what is never used; those of groups are new.
alter table checks add column variables jsonb not null default '[]';
update checks set variables = private_settings -> 'environmentVariables'
  where jsonb_typeof(private_settings -> 'environmentVariables') = 'array';
update checks set private_settings = private_settings - 'environmentVariables'
  where private_settings ? 'environmentVariables';

alter table check_groups add column variables jsonb not null default '[]';
