// Keeps a dashboard current: turns its pages, re-fetches the view, listens for change
// notifications, and shows the age of the data. The page works without this script.
(() => {
  const frame = document.getElementById("view");
  if (frame === null) return;
  const { base, shell } = frame.dataset;
  const refreshMs = Number(frame.dataset.refresh) * 1_000;
  const turnMs = Number(frame.dataset.turn) * 1_000;
  const freshness = document.querySelector(".freshness");
  const freshnessText = document.querySelector(".freshness-text");
  const pauseButton = document.querySelector(".pause:not(.fullscreen)");
  const expand = new URLSearchParams(location.search).get("expand");

  const pollMs = 15_000;
  const timeoutMs = 15_000;
  const silenceMs = 60_000;
  const maxBackoffMs = 30_000;
  const maxKeptPages = 100;
  // Pages do not turn for a minute after a reader has moved the pointer, pressed a key or scrolled.
  const readingMs = 60_000;
  // Minimum screen width for scrolling automatically, in pixels. On narrower screens, people
  // scroll.
  const tvWidth = 900;

  // How far the server's clock is ahead of the browser's clock. Updated with every view.
  let aheadMs = Number(frame.dataset.now) - Date.now();
  let page = Number(frame.firstElementChild?.dataset.page ?? 1);
  let asOfMs = Date.parse(frame.firstElementChild?.dataset.asOf ?? "");
  let isReached = true;
  let isLive = false;
  let isRefreshing = false;
  let shouldRefreshAgain = false;
  // Number of the requested page. It differs from `page` until the requested page is shown.
  let wanted = page;
  const kept = new Map();

  const serverNow = () => Date.now() + aheadMs;

  function writeAge(ms) {
    const minutes = Math.floor(ms / 60_000);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    const join = (whole, unit, rest, small) =>
      rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${small}`;
    if (days > 0) return join(days, "d", hours % 24, "h");
    if (hours > 0) return join(hours, "h", minutes % 60, "min");
    return minutes > 0 ? `${minutes} min` : "just now";
  }

  function setText(element, text) {
    if (element !== null && element.textContent !== text) element.textContent = text;
  }

  // TV mode shows the time of day and a button for full screen.
  const clock = document.querySelector(".clock");
  const fullButton = document.querySelector(".fullscreen");
  const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  function showClock() {
    if (clock === null) return;
    clock.hidden = false;
    setText(clock, timeOfDay.format(new Date(serverNow())));
  }
  function offerFullScreen() {
    if (fullButton === null || !document.fullscreenEnabled) return;
    fullButton.hidden = false;
    fullButton.addEventListener("click", () => {
      const done = document.fullscreenElement
        ? document.exitFullscreen()
        : document.documentElement.requestFullscreen();
      done.catch(() => {});
    });
    document.addEventListener("fullscreenchange", () => {
      setText(fullButton, document.fullscreenElement ? "Leave full screen" : "Full screen");
    });
  }
  offerFullScreen();

  function tick() {
    showClock();
    for (const time of frame.querySelectorAll("time.since")) {
      setText(time, writeAge(Math.max(0, serverNow() - Date.parse(time.dateTime))));
    }
    const ageMs = Math.max(0, serverNow() - asOfMs);
    const isStale = !isReached || ageMs > refreshMs + 60_000;
    const age = ageMs < 60_000 ? `${Math.floor(ageMs / 1_000)} s` : writeAge(ageMs);
    const text = isStale
      ? `No connection. This is ${age} old.`
      : `${isLive ? "Live" : "Updated"}, ${age} ago`;
    setText(freshnessText, text);
    freshness?.classList.toggle("freshness-stale", isStale);
    freshness?.classList.toggle("freshness-live", isLive && !isStale);
  }

  // Time of the last reload. If the browser blocks session storage, a reload resets this time.
  let reloadedMs = 0;
  try {
    reloadedMs = Number(sessionStorage.getItem("vedette-reload") ?? 0);
  } catch {}

  // Reloads the page after its design has changed or the dashboard was closed. Limits reloads to
  // one per minute, because a page that reloads all the time would be worse than an outdated page.
  // First fetches the page to check that the server responds. While the server is down, a proxy may
  // respond with an error page, from which the browser would not return to the dashboard.
  async function reload() {
    if (Date.now() - reloadedMs < 60_000) return;
    reloadedMs = Date.now();
    try {
      const page = await fetch(location.href, {
        cache: "no-store",
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (!page.headers.has("x-dashboard")) throw new Error(`answer ${page.status}`);
    } catch {
      reloadedMs = 0;
      return;
    }
    try {
      sessionStorage.setItem("vedette-reload", String(reloadedMs));
    } catch {}
    location.reload();
  }

  function show(view) {
    const focused = frame.contains(document.activeElement) ? document.activeElement.className : "";
    frame.replaceChildren(document.importNode(view, true));
    if (focused !== "") frame.getElementsByClassName(focused)[0]?.focus({ preventScroll: true });
    const hasTurned = page !== Number(view.dataset.page);
    page = Number(view.dataset.page);
    asOfMs = Date.parse(view.dataset.asOf);
    if (hasTurned) scrollTo({ top: 0, behavior: "instant" });
    writeNumber();
    tick();
  }

  async function fetchView(number) {
    const query = expand === null ? `page=${number}` : `page=${number}&expand=${expand}`;
    const answer = await fetch(`${base}view?${query}`, {
      cache: "no-cache",
      signal: AbortSignal.timeout(timeoutMs),
    });
    // While the server is down, a proxy may respond with an error. Only the server sends the header
    // `x-dashboard`, so this header proves that the dashboard is closed.
    if (answer.headers.get("x-dashboard") === "closed") void reload();
    if (!answer.ok) throw new Error(`answer ${answer.status}`);
    const nowMs = Number(answer.headers.get("x-dashboard-now"));
    const text = await answer.text();
    const view = new DOMParser().parseFromString(text, "text/html").querySelector(".board");
    if (view === null || !Number.isFinite(nowMs) || nowMs === 0) throw new Error("not a board");
    aheadMs = nowMs - Date.now();
    if (view.dataset.shell !== shell) void reload();
    return view;
  }

  // Sends one request at a time. A refresh that is requested in the meantime follows immediately.
  async function refresh() {
    shouldRefreshAgain = isRefreshing;
    if (isRefreshing) return;
    isRefreshing = true;
    const number = wanted;
    try {
      const view = await fetchView(number);
      isReached = true;
      // If the dashboard has fewer pages than before, the server sends a different page.
      const came = Number(view.dataset.page);
      for (const one of kept.keys()) if (one > Number(view.dataset.pages)) kept.delete(one);
      // An unchanged view is not replaced, so that it keeps its focus and hover state.
      const isShown = came === page && kept.get(came)?.isEqualNode(view) === true;
      kept.delete(came);
      kept.set(came, view);
      if (kept.size > maxKeptPages) kept.delete(kept.keys().next().value);
      if (wanted === number) wanted = came;
      if (wanted === came && !isShown) show(view);
      else tick();
    } catch {
      isReached = false;
      // Without a connection, cached pages are still shown in turn.
      const known = kept.get(number);
      if (known !== undefined && number !== page) show(known);
      if (wanted === number) wanted = page;
      tick();
    } finally {
      isRefreshing = false;
      if (shouldRefreshAgain) void refresh();
    }
  }

  // Content that does not fit is shown screen by screen. Returns the scroll offset of each screen.
  // Each screen starts with a complete row below the sticky header.
  function listScreens() {
    const tops = [0];
    const endPx = document.documentElement.scrollHeight - innerHeight;
    if (innerWidth < tvWidth || endPx <= 1) return tops;
    const heightOf = (name) => frame.querySelector(name)?.offsetHeight ?? 0;
    const abovePx = heightOf(".summary") + heightOf(".headings");
    const roomPx = innerHeight - heightOf(".pages");
    for (const row of frame.querySelectorAll(".check")) {
      const { top, bottom } = row.getBoundingClientRect();
      let last = tops.at(-1);
      while (bottom + scrollY > last + roomPx + 1 && last < endPx) {
        const whole = top + scrollY - abovePx;
        last = Math.min(endPx, whole > last + 1 ? whole : last + roomPx - abovePx);
        tops.push(last);
      }
    }
    return tops;
  }

  const findScreen = (tops) => tops.findLastIndex((top) => top <= scrollY + 2);

  function writeNumber() {
    const pages = Number(frame.firstElementChild?.dataset.pages ?? 1);
    const tops = listScreens();
    const parts = [];
    if (pages > 1) parts.push(`page ${page} of ${pages}`);
    if (tops.length > 1) parts.push(`screen ${findScreen(tops) + 1} of ${tops.length}`);
    const text = parts.join(", ");
    setText(frame.querySelector(".page-number"), text.charAt(0).toUpperCase() + text.slice(1));
    if (pauseButton !== null) pauseButton.hidden = parts.length === 0;
  }

  let readMs = Number.NEGATIVE_INFINITY;
  let isPaused = false;

  function isWaiting() {
    const isFocused = frame.contains(document.activeElement);
    return isPaused || isFocused || Date.now() - readMs < readingMs;
  }

  function turn() {
    if (isWaiting()) return;
    const tops = listScreens();
    const screen = findScreen(tops);
    const pages = Number(frame.firstElementChild?.dataset.pages ?? 1);
    if (screen < tops.length - 1 || (pages <= 1 && tops.length > 1)) {
      scrollTo({ top: tops[screen + 1] ?? 0, behavior: "instant" });
      writeNumber();
      return;
    }
    if (pages <= 1) return;
    const next = wanted < pages ? wanted + 1 : 1;
    // Without a connection, pages that were never loaded are skipped.
    const later = [...kept.keys()].filter((one) => one > wanted);
    const known = later.length > 0 ? Math.min(...later) : 1;
    wanted = isReached || kept.has(next) ? next : known;
    void refresh();
  }

  let source = null;
  let failures = 0;
  let lastBeatMs = 0;

  // Spreads the requests of many viewers over a quarter of a second.
  const refreshSoon = () => setTimeout(() => void refresh(), Math.random() * 250);

  function giveUp() {
    // The server may have rejected the stream because the dashboard was closed. Only a request
    // shows that.
    if (failures === 0) refreshSoon();
    source?.close();
    source = null;
    isLive = false;
    const waitMs = Math.min(maxBackoffMs, 1_000 * 2 ** failures) * (0.5 + Math.random());
    failures = Math.min(failures + 1, 10);
    setTimeout(listen, waitMs);
    tick();
  }

  function listen() {
    if (typeof EventSource === "undefined") return;
    source = new EventSource(`${base}events`);
    lastBeatMs = Date.now();
    source.onopen = () => {
      // Fetches changes that occurred after the page was rendered or while there was no stream.
      refreshSoon();
      isLive = true;
      tick();
    };
    // The failure count is reset only when the stream has sent something, because a proxy may
    // accept a stream and drop it at once.
    const onBeat = () => {
      lastBeatMs = Date.now();
      failures = 0;
    };
    source.addEventListener("beat", onBeat);
    source.addEventListener("changed", () => {
      onBeat();
      refreshSoon();
    });
    source.onerror = giveUp;
  }

  setInterval(tick, 1_000);
  setInterval(() => void refresh(), refreshMs);
  setInterval(turn, turnMs);
  for (const name of ["pointermove", "pointerdown", "wheel", "keydown"]) {
    addEventListener(name, () => (readMs = Date.now()), { passive: true });
  }
  // Titles are set on hover, because most of them are never shown.
  frame.addEventListener("pointerover", ({ target }) => {
    const time = target.closest?.("time.since");
    if (time) time.title = `since ${time.dateTime.slice(0, 16).replace("T", " ")} UTC`;
  });
  addEventListener("scroll", writeNumber, { passive: true });
  addEventListener("resize", writeNumber);
  pauseButton?.addEventListener("click", () => {
    isPaused = !isPaused;
    pauseButton.setAttribute("aria-pressed", String(isPaused));
  });
  setInterval(() => {
    if (source !== null && Date.now() - lastBeatMs > silenceMs) giveUp();
    if (!isLive) void refresh();
  }, pollMs);
  addEventListener("online", () => void refresh());
  if (frame.firstElementChild !== null) kept.set(page, frame.firstElementChild.cloneNode(true));
  writeNumber();
  tick();
  listen();
})();
