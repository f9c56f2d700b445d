// The page works without this script. It shows local and relative times, stores the choice of light
// or dark, makes the bars of days usable by keyboard and touch, opens the subscription form as a
// dialog, searches services, and reloads changed content.
(() => {
  const root = document.documentElement;
  const themeKey = "vedette-theme";
  const pollMs = 60_000;
  const staleMs = 15 * 60_000;

  // If the browser blocks storage, the choice is lost when the page is closed.
  const recall = () => {
    try {
      return localStorage.getItem(themeKey);
    } catch {
      return null;
    }
  };
  const remember = (theme) => {
    try {
      localStorage.setItem(themeKey, theme);
    } catch {}
  };
  const kept = recall();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;

  const isDark = () =>
    root.dataset.theme === "dark" ||
    (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);

  function offerTheme() {
    const button = document.querySelector("button.theme");
    if (!button) return;
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      show();
    });
  }

  const clock = new Intl.DateTimeFormat(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    hourCycle: "h23",
    minute: "2-digit",
    timeZoneName: "short",
  });
  function showLocalTimes(within) {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime()) || !time.dateTime.includes("T") || time.title) continue;
      time.title = time.textContent;
      time.textContent = clock.format(at);
    }
  }

  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];
  function sayDistance(ms) {
    const found = units.find(([, length]) => Math.abs(ms) >= length);
    return found ? relative.format(Math.trunc(ms / found[1]), found[0]) : "just now";
  }
  function showAges(within) {
    for (const time of within.querySelectorAll("time.aged")) {
      const next = time.nextElementSibling;
      const ago = next?.matches(".ago") ? next : document.createElement("span");
      const words = `(${sayDistance(Date.parse(time.dateTime) - Date.now())})`;
      if (ago !== next) {
        ago.className = "ago";
        time.after(" ", ago);
      }
      // Change the text only if it differs, so that a text selection is not lost.
      if (ago.textContent !== words) ago.textContent = words;
    }
  }

  // When the server last confirmed the shown state. A snapshot shows its own time instead.
  let checkedAtMs = Date.now();
  let isReached = true;
  function showChecked(within) {
    const checked = within.querySelector(".checked");
    const isStale = document.querySelector("[data-as-of], main[data-version=stale]");
    if (!checked || isStale) return;
    const words = isReached
      ? `, checked ${sayDistance(checkedAtMs - Date.now())}`
      : `. The server could not be reached; this was last checked ${sayDistance(checkedAtMs - Date.now())}`;
    if (checked.textContent !== words) checked.textContent = words;
  }

  // Users choose a day with arrow keys, touch or mouse. The day is described below the bar. For
  // screen readers, the bar is a slider. Phones show only the most recent days.
  const phone = matchMedia("(max-width: 30rem)");
  const daysOnPhone = 30;
  const dayMs = 86_400_000;
  const step = 5;
  const days = new Intl.DateTimeFormat(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
  function describeDay(bar, index) {
    const parts = [...bar.querySelectorAll("rect:not(.chosen)")];
    const part = parts.findLast((one) => Number(one.getAttribute("x")) <= index * step);
    const text = part?.dataset.text;
    const isKnown = part?.getAttribute("fill") === "url(#d-ok)" || part?.classList.contains("ok");
    const date = days.format(new Date(Date.parse(bar.dataset.from) + index * dayMs));
    return `${date}: ${text ?? (isKnown ? "no trouble" : "no data")}`;
  }
  // Removes the tooltips of the browser, because they would repeat the description below the bar.
  function takeTips(bar) {
    for (const title of bar.querySelectorAll("title")) {
      title.parentNode.dataset.text = title.textContent.replace(/^[^:]*: /, "");
      title.remove();
    }
  }
  function createMark() {
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ class: "chosen", y: -2, width: 3.4, height: 32 })) {
      mark.setAttribute(key, value);
    }
    return mark;
  }
  function walkDays(bar) {
    takeTips(bar);
    const count = Math.round((bar.viewBox.baseVal.width + 1.6) / step);
    const name = bar.closest(".service")?.querySelector("b")?.textContent ?? "";
    const words = document.createElement("p");
    words.setAttribute("aria-hidden", "true");
    const mark = createMark();
    const findFirst = () => (phone.matches ? Math.max(0, count - daysOnPhone) : 0);
    const choose = (wanted) => {
      const first = findFirst();
      const index = Math.min(count - 1, Math.max(first, wanted));
      const text = describeDay(bar, index);
      bar.setAttribute("aria-valuemin", first + 1);
      bar.setAttribute("aria-valuenow", index + 1);
      bar.setAttribute("aria-valuetext", text);
      words.textContent = text;
      const share = (index - first) / (count - first);
      words.className = `day ${share < 1 / 3 ? "left" : share < 2 / 3 ? "middle" : "right"}`;
      mark.setAttribute("x", index * step);
      if (!mark.isConnected) bar.append(mark);
      if (!words.isConnected) bar.after(words);
    };
    const leave = () => {
      mark.remove();
      words.remove();
    };
    const findDay = (event) => {
      const { left, width } = bar.getBoundingClientRect();
      return Math.floor(((event.clientX - left) / width) * count);
    };
    const attributes = {
      tabindex: 0,
      role: "slider",
      "aria-label": `${name}: ${bar.getAttribute("aria-label")}`,
      "aria-valuemin": findFirst() + 1,
      "aria-valuemax": count,
      "aria-valuenow": count,
      "aria-valuetext": describeDay(bar, count - 1),
    };
    for (const [key, value] of Object.entries(attributes)) bar.setAttribute(key, value);
    const now = () => Number(bar.getAttribute("aria-valuenow")) - 1;
    const keys = {
      ArrowLeft: () => now() - 1,
      ArrowDown: () => now() - 1,
      ArrowRight: () => now() + 1,
      ArrowUp: () => now() + 1,
      PageUp: () => now() + 7,
      PageDown: () => now() - 7,
      Home: () => 0,
      End: () => count - 1,
    };
    bar.addEventListener("keydown", (event) => {
      if (event.key === "Escape") leave();
      const find = keys[event.key];
      if (!find || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      choose(find());
    });
    bar.addEventListener("focus", () => choose(now()));
    bar.addEventListener("blur", leave);
    // On a touch screen, a tap causes a click, which selects a day. The handler for pointer moves
    // is therefore needed only for the mouse.
    bar.addEventListener("click", (event) => choose(findDay(event)));
    bar.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") choose(findDay(event));
    });
    bar.addEventListener("pointerleave", () => {
      if (document.activeElement !== bar) leave();
    });
  }
  function walkAllDays(within) {
    for (const bar of within.querySelectorAll("svg.days[data-from]")) walkDays(bar);
  }

  function showAge(asOf) {
    const stamp = document.querySelector("[data-as-of]");
    if (!stamp) return;
    if (asOf && asOf !== stamp.dataset.asOf) {
      stamp.dataset.asOf = asOf;
      const time = stamp.querySelector("time");
      time.dateTime = asOf;
      time.title = "";
      time.textContent = `${asOf.slice(0, 16).replace("T", " ")} UTC`;
      showLocalTimes(stamp);
    }
    stamp.querySelector(".stale").hidden = Date.now() - Date.parse(stamp.dataset.asOf) < staleMs;
  }

  async function refresh() {
    const main = document.querySelector("main[data-version]");
    if (!main) return;
    const answer = await fetch(`${document.body.dataset.base}summary.json`, { cache: "no-cache" });
    isReached = answer.ok;
    if (!answer.ok) return;
    checkedAtMs = Date.now();
    const summary = await answer.json();
    showAge(summary.asOf);
    if (summary.version === main.dataset.version) return;
    const page = await fetch(location.href, { cache: "no-cache" });
    if (!page.ok) return;
    const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
    const freshMain = fresh.querySelector("main[data-version]");
    if (!freshMain || freshMain.dataset.version === main.dataset.version) return;
    const hadBanner = main.querySelector(".banner")?.textContent;
    keepFolds(main, freshMain);
    prepare(freshMain);
    const search = main.querySelector(".search input");
    const freshSearch = freshMain.querySelector(".search input");
    if (search?.value && freshSearch) {
      freshSearch.value = search.value;
      freshSearch.dispatchEvent(new Event("input"));
    }
    const isSearching = search !== null && search === document.activeElement;
    // Find the element with the keyboard focus, to restore the focus after the replacement.
    const focused = main.contains(document.activeElement) && document.activeElement.href;
    const barsOf = (one) => [...one.querySelectorAll("svg.days")];
    const bar = barsOf(main).indexOf(document.activeElement);
    main.replaceWith(freshMain);
    document.title = fresh.title;
    if (focused) [...freshMain.querySelectorAll("a")].find((a) => a.href === focused)?.focus();
    if (isSearching) freshSearch?.focus();
    if (bar >= 0) barsOf(freshMain)[bar]?.focus();
    const banner = freshMain.querySelector(".banner");
    if (banner && banner.textContent !== hadBanner) say(banner.textContent.trim());
  }

  // A card stays expanded or collapsed as the reader left it, unless its problems began or ended.
  function keepFolds(main, freshMain) {
    if (main.querySelector(".search input")?.value) return;
    const nameOf = (card) => card.querySelector("h3").textContent;
    const isWell = (card) => card.querySelector("summary .state:not(.ok)") === null;
    const before = new Map([...main.querySelectorAll("details.services")].map((card) => [nameOf(card), card]));
    for (const card of freshMain.querySelectorAll("details.services")) {
      const old = before.get(nameOf(card));
      if (old && isWell(old) === isWell(card)) card.open = old.open;
    }
  }

  // Pages with many services have a search field. A reload of the content keeps its text.
  function offerSearch(within) {
    const box = within.querySelector(".search");
    if (!box) return;
    const input = box.querySelector("input");
    const cards = [...within.querySelectorAll("details.services")];
    const before = new Map(cards.map((card) => [card, card.open]));
    const filter = () => {
      const wanted = input.value.trim().toLowerCase();
      let found = 0;
      for (const card of cards) {
        const isWhole = card.querySelector("h3").textContent.toLowerCase().includes(wanted);
        let shown = 0;
        for (const service of card.querySelectorAll(".service")) {
          const name = service.querySelector("b").textContent.toLowerCase();
          service.hidden = !isWhole && !name.includes(wanted);
          if (!service.hidden) shown += 1;
        }
        card.hidden = shown === 0;
        card.open = wanted === "" ? before.get(card) : shown > 0;
        found += shown;
      }
      const words = wanted === "" ? "" : found === 0 ? "No service has this name." : `${found} found`;
      box.querySelector(".none").textContent = words;
    };
    box.hidden = false;
    input.addEventListener("input", filter);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      input.value = "";
      filter();
    });
  }

  function say(words) {
    const voice = document.createElement("p");
    voice.className = "unseen";
    voice.setAttribute("role", "status");
    document.body.append(voice);
    setTimeout(() => { voice.textContent = words; }, 100);
    setTimeout(() => voice.remove(), 10_000);
  }

  let timer = 0;
  async function turn() {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      await refresh();
    } catch {
      // Without a connection, keep the page and retry later.
      isReached = false;
    }
    showAge();
    showChecked(document);
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(turn, pollMs);
  }

  // Opens the subscription form as a dialog. If it cannot be fetched, opens its own page instead.
  function offerSubscribing() {
    const link = document.querySelector("a.subscribe");
    if (!link || typeof HTMLDialogElement === "undefined") return;
    link.setAttribute("aria-haspopup", "dialog");
    let isOpening = false;
    link.addEventListener("click", async (event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      // Ignore repeated clicks while the form opens.
      if (isOpening) return;
      isOpening = true;
      try {
        openDialog(await fetchMain(link.href), link);
      } catch {
        location.assign(link.href);
      }
      isOpening = false;
    });
  }
  async function fetchMain(address, options = {}) {
    const answer = await fetch(address, { cache: "no-store", ...options });
    const type = answer.headers.get("content-type") ?? "";
    if (answer.redirected || !type.startsWith("text/html")) throw new Error("no form");
    const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const title = document.createElement("h2");
    title.id = "dialog-title";
    title.tabIndex = -1;
    title.append(...main.querySelector("h1").childNodes);
    main.querySelector("h1").replaceWith(title);
    const content = document.createElement("div");
    content.append(...main.childNodes);
    return content;
  }
  function openDialog(content, link) {
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "dialog-title");
    const close = document.createElement("button");
    close.className = "close";
    close.type = "button";
    close.setAttribute("aria-label", "Close");
    close.textContent = "✕";
    close.addEventListener("click", () => dialog.close());
    // The content fills the dialog, so a click on the dialog itself is a click on its backdrop.
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    let isSending = false;
    dialog.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      const body = new URLSearchParams(new FormData(event.target));
      try {
        const answer = await fetchMain(event.target.action, { method: "POST", body });
        dialog.firstElementChild.replaceWith(answer);
        (answer.querySelector("[aria-invalid]") ?? answer.querySelector("h2")).focus();
      } catch {
        location.assign(link.href);
      }
      isSending = false;
    });
    // The other ways to subscribe are pages of their own, which the dialog shows in place.
    dialog.addEventListener("click", async (event) => {
      const way = event.target.closest("a.way");
      if (!way || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      try {
        const form = await fetchMain(way.href);
        dialog.firstElementChild.replaceWith(form);
        form.querySelector("[aria-current]").focus();
      } catch {
        location.assign(way.href);
      }
    });
    dialog.append(content, close);
    document.body.append(dialog);
    dialog.showModal();
  }

  function prepare(within) {
    showLocalTimes(within);
    showAges(within);
    showChecked(within);
    walkAllDays(within);
    offerSearch(within);
  }

  document.addEventListener("DOMContentLoaded", () => {
    offerTheme();
    offerSubscribing();
    prepare(document);
    showAge();
    timer = setTimeout(turn, pollMs);
    setInterval(() => {
      showAges(document);
      showChecked(document);
    }, 15_000);
    document.addEventListener("visibilitychange", turn);
  });
})();
