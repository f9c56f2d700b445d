/** Screens for people without a session: sign-in, invite, password reset, email confirmation. */
export { waysQuery } from "./queries.ts";
