-- What a member chose for their shifts; members without a row have the default.
create table on_call_preferences (
  account_id uuid not null,
  user_id uuid not null,
  -- Null for the zone of each schedule.
  time_zone text,
  sends_handoffs boolean not null,
  -- Minutes before a shift; null for no reminder.
  reminder_minutes integer,
  updated_at timestamptz not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members on delete cascade
);

-- Until when the handoffs of an account have been turned into mails.
create table shift_mail_cursors (
  account_id uuid primary key references accounts on delete cascade,
  done_until timestamptz not null
);

-- Mails about shifts: at their start, and before it.
create table shift_mails (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  schedule_id uuid not null references on_call_schedules on delete cascade,
  user_id uuid not null,
  kind text not null check (kind in ('HANDOFF', 'REMINDER')),
  shift_from timestamptz not null,
  status text not null check (status in ('PENDING', 'SENT', 'DEAD')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  -- A mail is sent once, also if two servers plan it.
  unique (schedule_id, user_id, kind, shift_from)
);
create index shift_mails_due on shift_mails (next_attempt_at) where status = 'PENDING';
create index shift_mails_account on shift_mails (account_id, shift_from);
