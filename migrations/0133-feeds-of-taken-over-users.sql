-- Whoever set the user up must not see shifts any longer.
create function drop_feeds_of_taken_over() returns trigger language plpgsql as $$
begin
  delete from on_call_feeds where user_id = new.id;
  return null;
end
$$;
create trigger users_taken_over_feeds after update of taken_over_at on users
  for each row when (new.taken_over_at is distinct from old.taken_over_at)
  execute function drop_feeds_of_taken_over();
