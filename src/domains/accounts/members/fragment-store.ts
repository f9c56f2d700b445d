/** Subquery for other modules: account_id, user_id, email. */
export const memberRows = `(
  select members.account_id, members.user_id, users.email
  from members join users on users.id = members.user_id)`;
