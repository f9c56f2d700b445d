import { fact, type Question } from "./entry.ts";

/**
 * Questions about the shop, written from the account alone before the agent that answers them. No
 * phrase of the classifier equals one of them. A failure is repaired with phrases of the same
 * meaning in other words.
 */
export const heldOutQuestions: readonly Question[] = [
  fact("can people still buy things in the shop?", [/Shop/, /shop-web/, /Checkout fails/]),
  fact("Shop broken??", [/shop-web/, /Checkout fails/]),
  fact("what's going on with Shop", [/shop-web/, /Checkout fails/]),
  fact("how is our shop doing at the moment", [/shop-web/, /Checkout fails/]),
  fact("is search ok", [/Search index stale/]),
  fact("anything wrong with Search?", [/Search index stale/]),
  fact("is the payments service healthy?", [/pay-gateway/, /degraded/]),
  fact("are payments working", [/pay-gateway/, /degraded/]),
  fact("is the mail service up", [/Mail/, /passing/]),
  fact("who gets woken when db-1 goes down?", [/ops@example\.net/, /Night pager/], [/#shop/]),
  fact("who hears about it if shop-web breaks", [/ops@example\.net/, /#shop-alerts/]),
  fact("does anybody get notified if nightly-backup does not run?", [/Night pager/]),
  fact("which alerts end up in the night pager?", [/db-1/, /nightly-backup/]),
  fact("what can visitors see on the public page?", [/Example Status/, /Shop/, /Mail/]),
  fact("which services are listed on Example Status?", [/Shop/, /Payments/, /Mail/]),
  fact("is the payments page public or private", [/private/]),
  fact("were there incidents on the payments page in October?", [/Card declines/]),
  fact("did example status show any incidents last month?", [/Card declines/], [/Checkout fails/]),
  fact("how many incidents did the payments page have last month", [
    /\b1 incident/,
    /Card declines/,
  ]),
  fact("who's allowed to edit checks?", [/Anna Berg/, /Ben Ito/], [/cleo@/]),
  fact("which people have write access", [/Anna Berg/, /Ben Ito/], [/cleo@/]),
  fact("who are the admins here", [/Anna Berg/], [/Ben Ito/, /cleo@/]),
  fact("who owns this account", [/Anna Berg/], [/Ben Ito/]),
  fact("what may cleo do?", [/cleo@example\.net/, /read/i], [/Anna/]),
  fact("can Ben mute a check?", [/Ben Ito/, /yes|may|can/i], [/Not done yet/]),
  fact("who has not accepted their invitation yet", [/dan@example\.net/]),
  fact("show me the team", [/Anna Berg/, /Ben Ito/, /cleo@example\.net/]),
  fact("which monitors belong to the core group", [/db-1/, /nightly-backup/], [/shop-web/]),
  fact("list everything in Core", [/db-1/, /nightly-backup/], [/shop-web/]),
  fact("are we in a maintenance window right now?", [/Database upgrade/]),
  fact("is db-1 under maintenance", [/Database upgrade/], [/Weekly restart/]),
  fact("when does the database upgrade end", [/13:00/]),
  fact("what dashboards do we have?", [/NOC wall/, /Finance/]),
  fact("is the finance dashboard private?", [/Finance/, /private/]),
  fact("where can I open the NOC wall", [/dashboards\/noc-wall/]),
  fact("what's on the noc wall?", [/NOC wall/, /web/]),
  fact("how many heartbeat checks do we have", [/\b1\b/, /nightly-backup/]),
  fact("show all TCP monitors", [/pay-gateway/], [/shop-web/]),
  fact("are any url checks failing", [/shop-web/], [/pay-gateway/]),
  fact("payments?", [/pay-gateway/, /service/, /group|page/]),
];
