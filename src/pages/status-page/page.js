// Everything on the page works without this script. It tells times in the reader's own, keeps the
// choice of light or dark, and fetches the page again when the summary says that it has changed.
(() => {
  const root = document.documentElement;
  const themeKey = "vedette-theme";
  const pollMs = 60_000;
  const staleMs = 15 * 60_000;

  // A browser may forbid storage; then the choice lasts as long as the page.
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
    // Whoever tabbed to a link finds it again.
    const focused = main.contains(document.activeElement) && document.activeElement.href;
    main.replaceWith(freshMain);
    document.title = fresh.title;
    if (focused) [...freshMain.querySelectorAll("a")].find((a) => a.href === focused)?.focus();
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
      // The network is away; the page says what it knew, and the next turn asks again.
    }
    tellAge();
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(turn, pollMs);
  }

  document.addEventListener("DOMContentLoaded", () => {
    offerTheme();
    tellLocalTimes(document);
    tellAge();
    timer = setTimeout(turn, pollMs);
    document.addEventListener("visibilitychange", turn);
  });
})();
