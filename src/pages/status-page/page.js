// The page works without this script. It shows local times, keeps the choice of light or dark, makes
// the days usable by keyboard and touch, and reloads the page when the summary has another version.
(() => {
  const root = document.documentElement;
  const themeKey = "vedette-theme";
  const pollMs = 60_000;
  const staleMs = 15 * 60_000;

  // If the browser forbids storage, the choice lasts as long as the page.
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
    minute: "2-digit",
    timeZoneName: "short",
  });
  function tellLocalTimes(within) {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime()) || !time.dateTime.includes("T") || time.title) continue;
      time.title = time.textContent;
      time.textContent = clock.format(at);
    }
  }

  // A day is chosen with the arrow keys, touch or mouse, and described below the bar and to screen
  // readers, for which the bar is a slider.
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
    const told = part?.querySelector("title")?.textContent.replace(/^[^:]*: /, "");
    const isKnown = part?.getAttribute("fill") === "url(#d-ok)";
    const date = days.format(new Date(Date.parse(bar.dataset.from) + index * dayMs));
    return `${date}: ${told ?? (isKnown ? "no trouble" : "no data")}`;
  }
  function walkDays(bar) {
    const count = Math.round((bar.viewBox.baseVal.width + 1.6) / step);
    const name = bar.closest(".service")?.querySelector("b")?.textContent ?? "";
    const words = document.createElement("p");
    words.className = "day";
    words.setAttribute("aria-hidden", "true");
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ class: "chosen", y: -2, width: 3.4, height: 32 })) {
      mark.setAttribute(key, value);
    }
    const choose = (wanted) => {
      const index = Math.min(count - 1, Math.max(0, wanted));
      const told = describeDay(bar, index);
      bar.setAttribute("aria-valuenow", index + 1);
      bar.setAttribute("aria-valuetext", told);
      words.textContent = told;
      mark.setAttribute("x", index * step);
      if (!mark.isConnected) bar.append(mark);
      if (!words.isConnected) bar.after(words);
    };
    const attributes = {
      tabindex: 0,
      role: "slider",
      "aria-label": `${name}: ${bar.getAttribute("aria-label")}`,
      "aria-valuemin": 1,
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
      const find = keys[event.key];
      if (!find || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      choose(find());
    });
    bar.addEventListener("focus", () => choose(now()));
    bar.addEventListener("click", (event) => {
      const { left, width } = bar.getBoundingClientRect();
      choose(Math.floor(((event.clientX - left) / width) * count));
    });
  }
  function walkAllDays(within) {
    for (const bar of within.querySelectorAll("svg.days[data-from]")) walkDays(bar);
  }

  function tellAge(asOf) {
    const stamp = document.querySelector("[data-as-of]");
    if (!stamp) return;
    if (asOf && asOf !== stamp.dataset.asOf) {
      stamp.dataset.asOf = asOf;
      const time = stamp.querySelector("time");
      time.dateTime = asOf;
      time.title = "";
      time.textContent = `${asOf.slice(0, 16).replace("T", " ")} UTC`;
      tellLocalTimes(stamp);
    }
    stamp.querySelector(".stale").hidden = Date.now() - Date.parse(stamp.dataset.asOf) < staleMs;
  }

  async function refresh() {
    const main = document.querySelector("main[data-version]");
    if (!main) return;
    const answer = await fetch(`${document.body.dataset.base}summary.json`, { cache: "no-cache" });
    if (!answer.ok) return;
    const summary = await answer.json();
    tellAge(summary.asOf);
    if (summary.version === main.dataset.version) return;
    const page = await fetch(location.href, { cache: "no-cache" });
    if (!page.ok) return;
    const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
    const freshMain = fresh.querySelector("main[data-version]");
    if (!freshMain || freshMain.dataset.version === main.dataset.version) return;
    const hadBanner = main.querySelector(".banner")?.textContent;
    tellLocalTimes(freshMain);
    walkAllDays(freshMain);
    // Restore the keyboard focus.
    const focused = main.contains(document.activeElement) && document.activeElement.href;
    const barsOf = (one) => [...one.querySelectorAll("svg.days")];
    const bar = barsOf(main).indexOf(document.activeElement);
    main.replaceWith(freshMain);
    document.title = fresh.title;
    if (focused) [...freshMain.querySelectorAll("a")].find((a) => a.href === focused)?.focus();
    if (bar >= 0) barsOf(freshMain)[bar]?.focus();
    const banner = freshMain.querySelector(".banner");
    if (banner && banner.textContent !== hadBanner) say(banner.textContent.trim());
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
      // Offline: keep the page and try again later.
    }
    tellAge();
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(turn, pollMs);
  }

  document.addEventListener("DOMContentLoaded", () => {
    offerTheme();
    tellLocalTimes(document);
    walkAllDays(document);
    tellAge();
    timer = setTimeout(turn, pollMs);
    document.addEventListener("visibilitychange", turn);
  });
})();
