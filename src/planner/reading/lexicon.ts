import { BoundedMap } from "../../platform/bounded-map.ts";
import { allowedSlips, measureEditDistance } from "../../platform/text/compare.ts";
import { listKindWords } from "../kinds.ts";

/**
 * Common English words that no rule uses. Such a word is read as a name only if it is in quotation
 * marks or part of a complete resource name. Otherwise it is ignored, because reporting it as an
 * unknown name would usually be wrong.
 */
const commonWords: ReadonlySet<string> = new Set(
  `able accept according across act actual add added admit advice afford afraid agree alarmed
  alike allow allowed allows almost alone along amount angry anyhow anymore anyway appear
  appeared appears apply approx area arrive arrived asks aside assume attempt attention aware
  away awake awful became become becomes becoming bed beginning behave behaved behaving being
  belongs below besides big bigger biggest bit blame blip blips boss bother bothered bring
  brings brought build built busy buy calm calling care careful cares carry case cases certain
  chance chances choose clear clearly client clients clue coffee colleague colleagues comes
  coming common complain complained complaining complaint complaints complete completely concern
  concerned concerns confused consider contact continue control cool correct cost costs could
  cover covered cross curious currently daily dare deal decide decided deep definitely depends
  deserve die died dies differ difficult dig directly discuss dont double doubt dozen dumb ease
  easier easily east easy eat effect effort eight either elsewhere enough entire equal err
  especially eventually everybody evidence exact example except excellent exist exists expect
  expected expecting extra eye eyes face fact facts fair fall familiar fan fault favourite fear
  feeling fewer fifteen figured fill final finally finding finds fixing focus follow following
  follows forget forgot former forward found free frequent friend fully fun further future gave
  general generally gets giving glad gladly glance goal gotten guessing guilty handle handled
  hands hang hanging happier happy hard hardly hate head healthier hear heard hears heart heavy
  held helped helpful helps hide hoping hope hopefully huge hurt hurts idea ideas ignore ill
  imagine impacted immediate improve improved improving included indeed inform instead intended
  interested interesting involved itself job join joke jump keeping keeps kept kick kill kinda
  knew knows lack large larger largest lately lasted lasting lasts laugh lead leads learn least
  leave leaves left less lets letting lie life light likely limit listen literally little live
  lives living longer looks loose loud love lovely low luck lucky main major makes making manage
  manager managers manner mark matter matters meanwhile meeting memory mention mentioned mess
  messed met middle mind minor mistake mistakes mixed moved move moving much mustn myself
  naturally nearly necessarily needed needs neither nervous nicely nobody none normal nothing
  notice noticed obvious obviously occur occurred occurs odd okay older oldest once ones onto
  opinion option options ordered original otherwise ought ourselves outstanding overall own
  owner owns pain panic part particular parts party patient pattern peaceful people perform
  performed performing performs period persist pick picked picture piece plain plan plans play
  please plenty point points poor possibly power prefer prepare pretty prevent previously
  probably proper properly proud prove provide provided pull push quarter quiet quite raise
  range rather reaction read reading ready real realise realize reasonable recall receive
  received receives receiving recommend record records reduce refer regular related relation
  relevant remain remained remaining remains remember remind repeat replace require required
  rest result return rid rough roughly round rule rules running runs sad safe safely same save
  saw saying scary scope score season seconds seen sees self sense separate serious seriously
  set seven several severe shape share sharp shift short shortly shot shown shows side sign
  signs silly similar simple simply single sit six size skip sleep sleeping slight slightly
  small smaller smallest smooth smoothly somebody somehow someone somewhat soon sort sound
  sounds speak speaking special spent stand standup starts stay stayed stays step steps sticking
  stick stuck stupid subject such sudden suffer suffered suffering suffers sum suppose supposed
  surprise surprised swear sync taken takes taking talked talking talks telling tells ten tend
  terms thanks their themselves thereby therefore thinking thinks third thought threw throw
  tight till tiny tired together tomorrow tonight took total touch touched tough track treat
  tried tries trigger true truly trust truth try trying turn turning turns twenty twice typical
  typically ugh ugly unclear understand understood unfortunately unless unlike unlikely unsure
  until upset useful using usual usually vague various verify view visible wake waking walk
  wanna wanted wanting wants warm warn waste watch watching way ways we went whereas whichever
  whoever whose wide willing wish woke woken wonder wondering wondered word works worked world
  worrying worse worst worth would write wrong yours yourself youre zero`.split(/\s+/),
);

/** Synonyms of each canonical word. The topic rules match only canonical words. */
const meanings = {
  DOWN: `fail fails failing failed failure failures down broken broke breaking red dead unreachable
    offline erroring error errors outage outages unhealthy alarming alarm alarms alerting
    problem problems issue issues trouble troubles wrong fire burning firing crashed
    unavailable hurting`,
  DEGRADED:
    "degraded degrade degrades degrading degradation yellow warning warnings impaired amber",
  UP: `up passing pass passes passed ok okay healthy green fine alright working works reachable
    operational good well online alive`,
  UNKNOWN: "unknown nodata undetermined grey gray",
  STATUS: "status statuses state states health doing situation condition standing going sitrep",
  WHY: `why y cause caused causes causing reason reasons explain explains explanation diagnose
    diagnosis rootcause troubleshoot investigate because`,
  SLOW: "slow slowest slower sluggish laggy lagging highest worst slowness",
  FAST: "fast fastest faster quickest lowest best",
  LATENCY: `latency latencies rtt rtts response responses delay delays lag roundtrip percentile
  percentiles speed millisecond milliseconds ${listKindWords("LATENCY")}`,
  AVERAGE: "average averages avg mean",
  MEDIAN: "median p50",
  NINETYFIVE: "p95 95th",
  NINETYNINE: "p99 99th",
  MAXIMUM: "maximum max peak",
  UPTIME: "availability available reliable reliability uptime sla slo slas slos downtime",
  MEASURE: listKindWords("MEASURE"),
  UNIT: listKindWords("UNIT"),
  PATTERN: listKindWords("PATTERN"),
  CHANGE: `change changed changes changing happened happening happen happens transition transitions
  history timeline events event new different`,
  FLAP: `flapping flap flaps flapped flappy flaky unstable bouncing bounce bounces intermittent
  intermittently oscillating unsteady stable steady`,
  MTTR: "mttr",
  RECOVER: "recover recovered recovers recovery recovering",
  SETTINGS:
    "settings setting configuration config configured threshold thresholds interval frequency hostname limits assertions",
  INCIDENT: "incident postmortem",
  INCIDENTS: "incidents postmortems",
  SUMMARISE: `summarise summarize summarised summarized summary summaries recap tldr describe brief
  overview details detail catch rundown`,
  DRAFT: "draft drafts write compose prepare suggest phrase wording propose",
  UPDATE: "update updates message statement announcement announce",
  POST: "post publish posting",
  SEND: "send sent sending",
  TOLD: `pager told notified notify notification notifications alerted alert alerts paged informed inform
  delivered delivery deliveries email emails emailed sms slack webhook webhooks telegram
  pagerduty opsgenie`,
  WHO: `who whom anyone anybody someone somebody nobody
    whoever`,
  GROUP: "group groups",
  SERVICE: "service services",
  PAGE: "page pages statuspage statuspages",
  CHANNEL: "channel channels recipient recipients",
  BELONG: "belong belongs belonging feed feeds feeding contain contains",
  MEMBER: "member members colleague colleagues teammate teammates coworker coworkers",
  ROLE: `role roles admin admins administrator administrators owner owners owns permission
    permissions rights access`,
  INVITE: "invite invites invited inviting invitation invitations",
  DASHBOARD: "dashboard dashboards",
  ONCALL: "oncall on-call duty rota rotas",
  ACK: "ack acks acknowledge acknowledges acknowledging",
  ACKED: "acked acknowledged acknowledgement acknowledgements",
  UNACKED: "unacked unacknowledged",
  SPREAD: listKindWords("SPREAD"),
  LONGEST: "longest",
  MAINTENANCE: "maintenance maintenances planned scheduled",
  COUNT: "many count number total counts",
  LIST: "list lists show display enumerate",
  CHECK: "check checks monitor monitors target targets host hosts device devices server servers",
  LOCATION: "location locations region regions place places site sites vantage city cities",
  PROBE: "probe probes agent agents worker workers",
  WHERE: "where",
  SILENT: "silent quiet missing stale reporting mute-ish disconnected",
  COMPARE: "compare compared comparing comparison versus vs difference better worse than against",
  RUN: "run rerun recheck retest trigger execute test retry",
  SNOOZE: "snooze snoozes snoozing",
  REASSIGN: "reassign reassigns reassigning assign assigns assigning hand transfer",
  ESCALATE: "escalate escalates escalating",
  MUTE: "mute mutes muting silence hush",
  MUTED: "muted silenced snoozed",
  UNMUTE: "unmute unmuting unsilence unsnooze",
  PAUSED: "paused deactivated disabled inactive",
  TAG: "tag tags tagged label labels labelled labeled",
  HELP: "help commands capabilities examples usage",
  GREETING: "hi hello hey howdy hiya greetings yo moin morning evening afternoon",
  THANKS: "thanks thank thx cheers ty great perfect nice awesome",
  RESULT: "result results runs measurement measurements sample samples",
  CREATE: "create add setup make watch",
  DELETE:
    "delete remove destroy erase disable deactivate pause rename edit restart reboot shutdown",
  NETWORK: "network isp connection uplink internet provider",
  SOLE: "only just single alone",
  WHEN: "when",
  LONG: "long",
  EVERY: "every all each everything overall everywhere anywhere somewhere",
  LATEST: "latest newest last recent recently current",
  OPEN: "open ongoing active unresolved outstanding",
  ALSO: "and also plus then",
  NEXT: "next upcoming coming soon",
  NOT: "not no never",
} as const;

type Meaning = keyof typeof meanings;

const meaningOf = new Map<string, Meaning>();
for (const [meaning, list] of Object.entries(meanings)) {
  for (const word of list.split(/\s+/)) meaningOf.set(word, meaning as Meaning);
}

/** Words that are neither synonyms of a canonical word nor read as names. */
const plain = new Set(
  `a an the this that these those it its is are was were be been being am do does did done
  doing have has had will would shall should can could may might must i me my mine we us our
  ours you your yours he she they them their his her of in on at to from for with by as into
  onto over under out off per within during since until till between before after ago through
  via if or but so because while than window windows call calls
  schedule schedules shifts handoff handoffs miss missed
  confirm confirmed proceed approve cet cest est edt pst pdt cst bst jst wat wut teh hte adn plz
  ya u ur r what
  which how about now first second third fourth fifth please pls kindly tell give get got find
  see look looking looked let know want need like there here any some more most much lot lots
  very really quite still already yet ever again too right currently moment present today
  yesterday tomorrow tonight week weeks month months day days hour hours minute minutes second
  seconds min mins hr hrs year years ms quick quickly hmm um uh well question wonder wondering
  mean means meant guys folks team buddy mate vedette bot assistant dear sir hello thing
  things stuff anything something nothing everything one ones other others another same
  else compared go goes went gone come came take took taken seem seems look looks feel feels side
  end experiencing seeing showing having getting called named name names id ids check's
  percent data info information report reports reported up-to-date utc gmt z monday tuesday
  wednesday thursday friday saturday sunday january february march april may june july august
  september october november december past previous half couple few night weekend noon
  midnight whole entire time times rate rates value values level levels figure figures number
  stats statistics statistic metrics metric measure measured ask talk say said says think
  believe guess maybe perhaps actually basically just both either neither each late early
  later earlier around everyone all-ok yes yeah yep sure nope ok-ish set put keep using use
  used based sorted sort order ranked rank top bottom far long-term me? status-page isn
  regarding concerning affected affects impacted impact hit customers customer users user
  experience experienced understand show's us-all status-pages
  today's yesterday's fix fixed resolve resolved resolves close closed investigating
  identified monitoring monitor's saying write wrote reply answer answers worth worry worried
  bad badly terrible horrible weird odd strange funny unusual usual usually normal normally
  baseline trend trends trending increase increased decrease decreased grow growing rise
  rising risen spike spikes spiked higher lower high low sudden suddenly ping-time
  side-by-side sides fault blame responsible person people company internal external exactly
  precisely specific specifically particular particularly especially mainly mostly often
  frequently sometimes always whenever however whatever whether though although even except
  without including include includes inside outside along across near behind against toward
  towards among account accounts setup-ed environment stop stopped start started starts
  starting begin began begun end ended ends finish finished back return returned recover
  recovered recovery recovers fell fallen happend reach reached reaching respond responding
  responds reply replies replied timeout timeouts resolving address addresses ip ipv4 ipv6
  kind kinds type types sort-of ability able possible impossible necessary important urgent
  asap immediately fast-ish soon-ish minute's turn turned paging two three four five six seven
  eight nine ten hundred thousand dozen several word words sentence sentences text line lines
  language english question questions ask asked asking every-one hold on moment-ish wait sorry
  excuse oh ah wow hm lol omg wtf damn hell shit god ain aren wasn werent didn doesn don hasn
  haven won couldn wouldn shouldn meet meeting meets met target above below under least
  shows shown visible public private date checked monitored watched lying false positive`.split(
    /\s+/,
  ),
);

/**
 * Returns whether a word is too ordinary to be read as a name, unless the word is quoted or the
 * question mentions the kind of the resource.
 */
export function isOrdinary(word: string): boolean {
  return plain.has(word) || meaningOf.has(word) || /^\d+(?:\.\d+)?$/.test(word) || word === "%";
}

/**
 * Returns whether a word is ordinary or common English, and so is never read as an unknown name.
 */
export function isPlain(word: string): boolean {
  return isOrdinary(word) || commonWords.has(word);
}

export function findMeaning(word: string): Meaning | null {
  return meaningOf.get(word) ?? null;
}

/** Words to which a typo may be corrected, by first letter. Very short words are excluded. */
const guessable = new Map<string, string[]>();
for (const word of new Set([...meaningOf.keys(), ...plain])) {
  if (!/^[a-z]{4,}$/.test(word)) continue;
  guessable.set(word.charAt(0), [...(guessable.get(word.charAt(0)) ?? []), word]);
}

/**
 * Corrects a typo in a word. Returns the word itself if no correction is likely. Only words of 4 to
 * 20 letters are corrected. A wrong first letter is corrected only if it was swapped with the
 * second letter. In words with fewer than six letters, a replaced letter is not corrected, because
 * the result would often be wrong: "dwon" becomes "down", but "dawn" does not.
 */
export function correctWord(word: string): string {
  if (isPlain(word) || !/^[a-z]{4,20}$/.test(word)) return word;
  return corrected.getOrCreate(word, guessWord);
}

/** Cache of corrected words, because each step of an answer reads the same words again. */
const corrected = new BoundedMap<string, string>(2_000);

function guessWord(word: string): string {
  const limit = allowedSlips(word.length);
  const swapped = (guessable.get(word.charAt(1)) ?? []).filter(
    (candidate) => candidate.charAt(1) === word.charAt(0),
  );
  let best = word;
  let least = limit + 1;
  for (const candidate of [...(guessable.get(word.charAt(0)) ?? []), ...swapped]) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = measureEditDistance(word, candidate, limit);
    if (distance >= least) continue;
    if (word.length < 6 && candidate.length === word.length && !isSwap(word, candidate)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

function isSwap(left: string, right: string): boolean {
  return [...left].sort().join("") === [...right].sort().join("");
}
