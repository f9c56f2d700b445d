-- How somebody signed in decides what their session may do: one opened by a link may choose a
-- password without knowing the old one. Somebody who signs in another way may have no password.

alter table sessions add column way text not null default 'PASSWORD';
alter table sessions alter column way drop default;

alter table users alter column password_hash drop not null;
