/**
 * Common English words that no rule uses. Without this list every other verb would be taken for a
 * name. A name may still consist of them.
 */
export const commonWords: ReadonlySet<string> = new Set(
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
