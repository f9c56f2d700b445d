/**
 * Screens for people without a session: sign-in, invitation, password reset and email
 * confirmation.
 */
export { waysQuery } from "./queries.ts";
