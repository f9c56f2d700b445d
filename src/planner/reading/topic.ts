import { pattern } from "../../platform/text/patterns.ts";

export type Topic =
  | "greeting"
  | "thanks"
  | "help"
  | "overview"
  | "status"
  | "since"
  | "why"
  | "blame"
  | "places"
  | "probes"
  | "slowest"
  | "latency"
  | "availability"
  | "measure"
  | "changes"
  | "flapping"
  | "recovery"
  | "incidents"
  | "incident"
  | "draft"
  | "post"
  | "deliveries"
  | "maintenance"
  | "count"
  | "list"
  | "compare"
  | "results"
  | "run"
  | "mute"
  | "unmute"
  | "create"
  | "settings"
  | "tags"
  | "meaning"
  | "forbidden"
  | "elsewhere"
  | "time"
  | "members"
  | "services"
  | "groups"
  | "pages"
  | "channels"
  | "people"
  | "dashboards"
  | "alerts"
  | "acknowledge"
  | "oncall"
  | "page"
  | "snooze"
  | "reassign"
  | "escalate";

const figureWords =
  "DOWN|DEGRADED|UP|STATUS|WHY|UPTIME|LATENCY|MEASURE|UNIT|SLOW|FAST|COMPARE|FLAP";
const eventWords =
  "CHANGE|TOLD|INCIDENTS?|INCIDENTNAME|MAINTENANCE|MUTED?|UNMUTE|RUN|DRAFT|POST|UPDATE";
const grantedVerbs =
  "CHANGE|DELETE|CREATE|RUN|MUTE|UNMUTE|ACK|POST|INVITE|DRAFT|UPDATE|SETTINGS|CHECK|manage|do|read|use";

/** Rules for questions about members and their permissions. */
const peopleRules: readonly (readonly [Topic, RegExp])[] = [
  [
    "people",
    new RegExp(
      `\\bWHO (?:else )?(?:can|may|could|(?:is|are) (?:allowed|able|permitted) to) (?:${grantedVerbs})\\b`,
    ),
  ],
  ["people", /^(?!.*\b(?:TOLD|SEND|DRAFT|POST)\b).*\bMEMBERNAME\b/],
  ["people", /\b(?:WHO|what|which|LIST|people|COUNT|how)\b.*\bROLE\b/],
  ["people", /^(?!.*\bTOLD\b).*\bINVITE\b/],
  ["people", /^(?!.*\b(?:SCOPE|NAME|GROUP|SERVICE|TOLD|it)\b).*\bMEMBER\b/],
  [
    "people",
    pattern`
      ^(?!.*\b(?:CHANNEL|TOLD)\b).*\b(?:LIST|COUNT) (?:me )?(?:the |our |my |EVERY )*(?:team|people
      |users|persons)\b|\bWHO (?:is|are) (?:in|on|part of) (?:the |our |my |this )*(?:team|account)\b`,
  ],
];

const polite = "^(?:(?:please|can|could|would|you|i|we|want|need|to|like|ALSO|TIME|let|us) )*";

const person =
  "(?:the |our |WHO |person |one |is |UP )*(?:MEMBERNAME|ONCALL|SCHEDULENAME|SOMETHING)\\b";

/**
 * Rules for on-call questions and for the command to page people. The noun "page", as in "status
 * page", must not match the command.
 */
const onCallRules: readonly (readonly [Topic, RegExp])[] = [
  ["snooze", /\bSNOOZE\b/],
  ["escalate", new RegExp(`${polite}ESCALATE\\b`)],
  ["reassign", new RegExp(`${polite}(?:REASSIGN|give|move|pass)\\b.*\\bto ${person}`)],
  [
    "page",
    new RegExp(
      `${polite}(?:PAGE|call|wake)(?: UP)? (?:the |our |WHO |person |one |is |UP )*(?:MEMBERNAME|ONCALL|SCHEDULENAME)\\b`,
    ),
  ],
  ["page", new RegExp(`${polite}(?:PAGE|wake) (?:UP )?SOMETHING (?:UP )?about\\b`)],
  ["oncall", /^(?!.*\b(?:CHANNEL|CHANNELNAME|MAINTENANCE)\b).*\b(?:ONCALL|SCHEDULENAME)\b/],
  ["oncall", /^(?:ALSO )?WHO (?:is|comes|goes) NEXT$/],
];

/**
 * Start of a regular expression. This part excludes questions that contain words for metrics or
 * events.
 */
const asksWhatIs = `^(?!.*\\b(?:${figureWords}|${eventWords})\\b)`;

/**
 * Rules that are tried first, because they tell services and groups (SCOPE) apart from the checks
 * (NAME) and match the names of pages, channels and maintenance windows. For all later rules, SCOPE
 * is replaced with NAME.
 */
const directoryRules: readonly (readonly [Topic, RegExp])[] = [
  // This rule comes before the rules for pages, because a new check may be called "Landing page".
  [
    "create",
    pattern`
      ^(?:(?:please|can|could|would|you|i|we|want|need|to|like|HELP|me) )*
      CREATE (?:\w+ ){0,4}?CHECK\b`,
  ],
  [
    "time",
    /\bwhat time\b(?! (?:did|was|were|does|do|will))|\btime is it\b|\bwhat (?:day|date) is\b/,
  ],
  ...onCallRules,
  ...peopleRules,
  [
    "acknowledge",
    /^(?:(?:please|can|could|would|you|i|we|want|need|to|like|ALSO|TIME|let|us) )*ACK\b/,
  ],
  ["alerts", /\b(?:ACK|ACKED|UNACKED)\b/],
  ["alerts", /\bOPEN TOLD\b|\bTOLD\b.*\bOPEN\b/],
  ["alerts", /\b(?:is|has) WHO (?:already )?(?:on|onto|looking|working|taking|seen|taken)\b/],
  ["maintenance", /\b(?:are|is) (?:the |my |our )?TOLD MUTED\b/],
  ["maintenance", /\bWINDOWNAME\b/],
  ["channels", /^(?!.*\b(?:did|was|were|has|have|had)\b).*\b(?:CHANNEL|CHANNELNAME)\b/],
  ["channels", /\bCHANNEL (?:do|does|are|have)\b|\bCOUNT\b.*\bCHANNEL\b/],
  ["channels", /\bWHERE (?:do|does|will|would|should)\b.*\b(?:TOLD|SEND)\b/],
  [
    "channels",
    pattern`
      \bWHO (?:get|gets|is|are|will|would|receive|receives|should|do|does)\b.*
      \bTOLD\b.*\b(?:WHEN|if|for|of|in case)\b`,
  ],
  ["channels", /\bNAME\b.*\b(?:TOLD|SEND) (?:to )?(?:WHO|WHERE)\b/],
  ["members", /\b(?:what|which)\b.*\b(?:GROUP|SERVICE)\b.*\b(?:NAME|it)\b(?!.*\b(?:TOLD)\b)/],
  ["members", /\b(?:NAME|it)\b.*\b(?:what|which) (?:GROUP|SERVICE)\b|\b(?:BELONG|MEMBER)\b/],
  ["pages", /\b(?:customers|users|WHO) (?:see|sees|notice|notices) (?:it|this|that)\b/],
  [
    "incidents",
    pattern`
      ^(?!.*\b(?:DRAFT|POST|UPDATE|SUMMARISE|MAINTENANCE)\b)(?:.*\b(?:PAGENAME
      |PAGE)\b.*\bINCIDENTS?\b|.*\bINCIDENTS?\b.*\b(?:PAGENAME|PAGE)\b)`,
  ],
  ["dashboards", /\b(?:DASHBOARD|DASHBOARDNAME)\b/],
  ["pages", /\b(?:PAGENAME|PAGE)\b(?!.*\b(?:DRAFT|POST)\b)/],
  [
    "members",
    new RegExp(
      `${asksWhatIs}.*\\b(?:CHECK|COUNT|LIST|what|which)\\b.*\\b(?:in|inside|behind|of|under|part)\\b.*\\bSCOPE\\b`,
    ),
  ],
  ["members", /^what (?:is|are) (?:the )?(?:SERVICE |GROUP )?SCOPE(?: SERVICE| GROUP)?$/],
  ["groups", /^(?!.*\b(?:SCOPE|NAME)\b).*\bGROUP\b/],
  [
    "services",
    pattern`
      ^(?!.*\b(?:SCOPE|NAME|INCIDENTNAME|INCIDENTS?|LATENCY|MEASURE|SLOW|FAST|UPTIME|TOLD|DRAFT
      |POST|customers)\b).*\bSERVICE\b`,
  ],
];

/**
 * Topic rules in order of precedence; the first match decides. The rules match the canonical
 * question, in which NAME is a check, TIME a time, and SOMETHING an unknown word. Other capitalised
 * words are defined in `Mark` and in the lexicon.
 */
const rules: readonly (readonly [Topic, RegExp])[] = [
  ["greeting", /^(?:UP )?GREETING(?: \w+)?$/],
  ["thanks", /^(?:UP |great |ALSO )*THANKS(?: you)?(?: \w+){0,3}$/],
  [
    "help",
    /\b(?:what|how) (?:else )?(?:can|do|could) (?:you|i) (?:do|HELP|ask|know|understand|use)\b/,
  ],
  ["help", /\b(?:what|LIST) (?:questions|things|kind of questions)\b/],
  ["help", /^(?:WHO|what) are you\b|\bWHO am i talk/],
  ["forbidden", /^(?:(?:please|can|could|would|you|i|we|want|need|to|like|ALSO|TIME) )*DELETE\b/],
  [
    "create",
    pattern`
      \b(?:LATENCY|CREATE|CHECK)\b.*\bEVERY (?:[\d.]+ |\w+ )?(?:seconds?|minutes?|hours?|days?|s
      |m|min|mins|h|sec)\b`,
  ],
  ["draft", /\bDRAFT\b.*\b(?:UPDATE|INCIDENT|INCIDENTNAME|customers|it|something|TOLD)\b/],
  ["draft", /\bwhat (?:should|could|can|do) (?:we|i) (?:tell|say|write|POST)\b/],
  ["draft", /\b(?:UPDATE|INCIDENT) DRAFT\b|^DRAFT(?: (?:it|one|an?|something))*$/],
  ["post", /\bPOST\b.*\b(?:UPDATE|INCIDENT|INCIDENTNAME|it|that|this|DRAFT)\b/],
  ["post", /\b(?:SEND|CREATE) (?:\w+ ){0,3}UPDATE\b/],
  ["post", /\b(?:resolve|close)\b.*\b(?:INCIDENT|INCIDENTNAME)\b|^UPDATE (?:the )?INCIDENT/],
  ["post", /^(?:(?:please|can|could|would|you|ALSO) )*(?:resolve|close) (?:it|this|that)\b/],
  ["unmute", /\bUNMUTE\b/],
  ["unmute", /\bturn (?:the )?TOLD (?:back )?(?:on|UP)\b/],
  ["mute", /\bMUTE\b/],
  ["mute", /\bstop (?:TOLD|paging)\b/],
  [
    "create",
    pattern`
      ^(?:(?:please|can|could|would|you|i|want|need|to|like|a|HELP|me) )*CREATE\b.*\b(?:CHECK
      |LATENCY|SOMETHING|NAME)\b`,
  ],
  [
    "run",
    pattern`
      ^(?:(?:please|can|could|would|you|i|want|need|to|like|ALSO|TIME) )*(?:RUN
      |LATENCY) (?:(?:the|a|an|this|that|CHECK|off|on|it|again|NEXT) )*(?:NAME|SOMETHING|it|this
      |that|CHECK|again)\b`,
  ],
  [
    "run",
    /^(?:(?:please|can|could|would|you|ALSO|TIME) )*CHECK (?:it|NAME|this|that)(?: again| TIME)*$/,
  ],
  ["maintenance", /\bMAINTENANCE\b/],
  ["deliveries", /\bWHO (?:else )?(?:knows|know|heard|got|gets|received)\b/],
  ["deliveries", /\bWHO\b.*\b(?:TOLD|SEND)\b/],
  [
    "deliveries",
    pattern`
      \b(?:did|was|were|has|have|had|which|LIST|what|any|how COUNT|COUNT
      |WHEN)\b.*\bTOLD\b.*\b(?:SEND|go|went|gone|out|get|got|reach|through|TIME|work|UP|TOLD|NAME
      |INCIDENT|about)\b`,
  ],
  [
    "deliveries",
    /\b(?:did|was|were|has|have|had)\b.*\b(?:WHO|we|i|you|they|team|TOLD)\b.*\b(?:TOLD)\b/,
  ],
  [
    "deliveries",
    /\bTOLD\b.*\b(?:SEND|DOWN|TIME|go out|went out)\b|\b(?:SEND|LATEST|OPEN|LIST|DOWN)\b.*\bTOLD\b/,
  ],
  ["compare", /\bCOMPARE\b.*\bTIME\b|\bTIME\b.*\bCOMPARE\b/],
  [
    "compare",
    /\bCOMPARE\b.*\b(?:NAME|usual|usually|normal|before|baseline|TAGNAME|EVERY|CHECK)\b|^COMPARE\b/,
  ],
  ["compare", /\bNAME\b.*\bCOMPARE\b/],
  ["blame", /\b(?:is|was) (?:it|this|that) (?:SOLE )?(?:me|us|you|our|on)\b|\bSOLE (?:me|us)\b/],
  ["blame", /\bfalse (?:DOWN|TOLD|positive)\b|\blying\b/],
  ["blame", /\b(?:our|their|my|your) (?:side|end|fault)\b|\bNETWORK\b/],
  ["meaning", /\bwhat (?:does|do|is)\b.*\b(?:AVERAGE|mean|means|meant)$/],
  ["settings", /\bwhat (?:does|do) (?:the )?NAME (?:LATENCY|CREATE|CHECK)\b/],
  ["settings", /\bhow often (?:does|is|do) (?:the )?NAME\b|\bCOUNT (?:LATENCY|UNIT)\b.*\bNAME\b/],
  [
    "settings",
    /\b(?:which CHECK|what) (?:LATENCY|CREATE|CHECK) (?:the )?NAME\b|\bTAG\b.*\bNAME\b.*\bhave\b/,
  ],
  ["settings", /\b(?:what|which) (?:CHECK|address|ip) (?:is|does|has)\b.*\bNAME\b/],
  ["settings", /\bSETTINGS\b.*\bNAME\b|\bNAME\b.*\bSETTINGS\b|\bhow often does NAME RUN\b/],
  [
    "settings",
    pattern`\b(?:ip|address|hostname) of (?:the )?NAME\b
      |^(?:please )?(?:LIST me (?:the )?)?SUMMARISE (?:of |about )?(?:the )?NAME$`,
  ],
  ["tags", /^(?!.*\bTAGNAME\b)(?:what|which|LIST|LIST me|how COUNT)(?: \w+)? TAG\b/],
  ["recovery", /\bMTTR\b|\btime to (?:RECOVER|fix|repair|resolve)\b|\bRECOVER time\b/],
  ["changes", /\bRECOVER\b.*\bTIME\b|\bTIME\b.*\bRECOVER\b|\bwhich\b.*\bRECOVER\b/],
  ["flapping", /\bFLAP\b/],
  ["incident", /\bwhat (?:did|have|has) (?:we|you|they|WHO) (?:tell|say|said|write|POST|TOLD)\b/],
  [
    "incident",
    /\b(?:SUMMARISE|WHY|about)\b.*\b(?:INCIDENT|INCIDENTNAME)\b|\bINCIDENT\b.*\bSUMMARISE\b/,
  ],
  [
    "incidents",
    /\bINCIDENTS\b|\b(?:any|is there an?|are there|how COUNT|LIST)(?: \w+)? INCIDENT\b/,
  ],
  ["incident", /\bwhat\b.*\bCHANGE\b.*\b(?:INCIDENT|INCIDENTNAME)\b/],
  [
    "incident",
    /\b(?:STATUS|WHEN|how LONG|what is|COUNT UPDATE)\b.*\bINCIDENT\b(?! are)|\bINCIDENTNAME\b/,
  ],
  ["incident", /\b(?:LATEST|OPEN|NAME) INCIDENT\b(?!.*\bTIME\b)(?!s)/],
  ["incidents", /\bINCIDENT\b/],
  ["availability", /\b(?:meet|meeting|met|above|below|under|over|least) \d[\d.]* %/],
  ["measure", /\b(?:MEASURE|UNIT|PATTERN)\b/],
  [
    "places",
    /\bSOLE (?:in |from |at )?PLACE\b.*\bNAME\b|\bNAME\b.*\bSOLE (?:in |from |at )?PLACE\b/,
  ],
  ["places", /\b(?:WHERE|LOCATION)\b.*\bNAME\b|\bNAME\b.*\b(?:WHERE|LOCATION)\b/],
  ["probes", /\bPROBE\b|\bLOCATION\b/],
  ["probes", /\bSILENT\b(?!.*\bNAME\b)/],
  ["availability", /\bUPTIME\b|\bhow (?:bad|UP) (?:was|were)\b.*\bTIME\b/],
  ["changes", /\bhow LONG (?:was|were)\b.*\bNAME\b.*\bDOWN\b.*\bTIME\b|\bLONGEST\b.*\bTIME\b/],
  ["since", /\bLATEST time\b.*\bNAME\b|\bNAME\b.*\bLATEST time\b/],
  ["list", /^(?:which|what) CHECK (?:do|are) (?:we|you|i) (?:LATENCY|CREATE|CHECK)\b/],
  ["availability", /\bhow (?:LONG|much time)\b.*\bDOWN\b.*\b(?:TIME)\b|\bhow often\b.*\bUP\b/],
  ["changes", /\b(?:has|did|was) (?:the )?NAME\b.*\bbefore$/],
  ["changes", /\bhow (?:often|COUNT times)\b.*\b(?:DOWN|DEGRADED|CHANGE|CHECK)\b/],
  [
    "slowest",
    /^(?!.*\b(?:NAME|SOMETHING)\b).*\b(?:SLOW|FAST)\b|^(?!.*\bNAME\b).*\bwhich\b.*\bLATENCY\b/,
  ],
  ["latency", /\b(?:LATENCY|SPREAD|AVERAGE|MEDIAN|NINETYFIVE|NINETYNINE|SLOW|FAST)\b/],
  ["why", /\bWHY\b/],
  [
    "why",
    pattern`
      \bwhat (?:is|was|went) (?:DOWN|the DOWN) with\b|\bwhat (?:is|was|CHANGE)\b.*\b(?:matter
      |up) with\b`,
  ],
  ["changes", /\bCHANGE\b/],
  [
    "since",
    pattern`
      \bsince WHEN\b|^(?:ALSO )?since$|\bhow LONG\b
      |\bWHEN (?:did|was|has|is|were|it|NAME)\b(?!.*\b(?:RUN
      |LATEST run|RESULT)\b)`,
  ],
  ["results", /\bRESULT\b|\b(?:WHEN|LATEST|last)\b.*\bRUN\b/],
  ["count", /\bCOUNT\b.*\b(?:CHECK|DOWN|UP|DEGRADED|MUTED|PAUSED|TAGNAME|are|do)\b/],
  ["status", /\bNAME\b.*\b(?:MUTED|PAUSED)\b|\bMUTED\b.*\bNAME\b/],
  ["list", /\b(?:MUTED|PAUSED|UNCHECKED)\b/],
  [
    "list",
    /^(?!.*\b(?:DOWN|DEGRADED|STATUS|NAME)\b).*\b(?:LIST|what|which|give me|have)\b.*\bCHECK\b/,
  ],
  [
    "list",
    /^(?:EVERY |my |the |TAGNAME )*CHECK$|\bCHECK (?:in|from|at|with|TAG)\b.*\b(?:PLACE|TAGNAME)\b/,
  ],
  ["list", /^EVERY (?:CHECK )?(?:with|TAG)\b.*\bTAGNAME\b/],
  ["list", /\bLIST\b.*\b(?:TAGNAME|PLACE|UP)\b/],
  ["places", /\bWHERE\b/],
  ["status", /\bNAME\b|^how (?:is|are|bad)\b.*\b(?:EVERY|it|things|we)\b/],
  ["overview", /\bback to normal\b|\bEVERY\b.*\bnormal\b|\bsafe to\b/],
  ["overview", /\bwhat (?:should|do|must) (?:i|we) (?:look|see|do|fix|start|worry)\b/],
  [
    "overview",
    /\b(?:DOWN|DEGRADED|UP|STATUS|UNKNOWN|SUMMARISE|SILENT)\b|\bany (?:TOLD|TIME)\b|^TOLD\b/,
  ],
  ["thanks", /\bTHANKS\b/],
  ["help", /\bHELP\b/],
  ["greeting", /\bGREETING\b/],
];

/**
 * Matches a clause that contains only names, times and filler words. Its topic comes from the
 * previous turn.
 */
const bare = pattern`
    ^(?:(?:ALSO|what|how|about|or|in|for|from|on|at|of|with|the|my|our|same|CHECK|please|TAG
    |TIME|NAME|SCOPE|SERVICE|GROUP|PLACE|TAGNAME|SOMETHING|INCIDENTNAME) ?)*$`;

export function decideTopic(canonical: string): Topic | null {
  if (bare.test(canonical)) return null;
  const known = directoryRules.find(([, pattern]) => pattern.test(canonical));
  if (known !== undefined) return known[0];
  const broad = canonical.replaceAll("SCOPE", "NAME");
  return rules.find(([, pattern]) => pattern.test(broad))?.[0] ?? null;
}
