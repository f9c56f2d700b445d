// Service worker that shows push notifications, and opens the application when the user clicks a
// notification. The worker has no cache and intercepts no requests, so the application is always
// loaded from its server.
const readMessage = (data) => {
  try {
    const message = data?.json();
    return typeof message === "object" && message !== null ? message : {};
  } catch {
    return {};
  }
};

// Accepts only paths of this application, so that a message cannot open another site.
const readPath = (path) => {
  const url = URL.parse(typeof path === "string" ? path : "/", self.location.origin);
  return url?.origin === self.location.origin ? url.href : self.location.origin;
};

const actionTitles = {
  acknowledge: "Acknowledge",
  "acknowledge-all": "Acknowledge all",
  snooze: "Snooze for 1 hour",
  escalate: "Escalate now",
};

const listActions = (names) =>
  (Array.isArray(names) ? names : [])
    .filter((name) => Object.hasOwn(actionTitles, name))
    .map((action) => ({ action, title: actionTitles[action] }));

const openWindow = async (address) => {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [first] = windows;
  if (first === undefined) return self.clients.openWindow(address);
  const moved = await first.navigate(address).catch(() => null);
  return moved === null ? self.clients.openWindow(address) : moved.focus();
};

// Performs the action that the user has clicked in a notification. The request needs no session,
// because the link in the push message contains a token. The user may be signed out.
const act = async (action, { link, tag, name }) => {
  const page = readPath(action.startsWith("acknowledge") ? link : `${link}/${action}`);
  // The user must confirm an escalation, so the worker only opens the confirmation page. The page
  // shows which escalation step comes next.
  if (action === "escalate") return self.clients.openWindow(page);
  const response = await fetch(page, { method: "POST", credentials: "omit" }).catch(() => null);
  if (response === null || (!response.ok && response.status !== 409)) {
    return self.clients.openWindow(page);
  }
  const done = action === "snooze" ? "Snoozed for 1 hour" : "Acknowledged";
  const ended = "This alert has ended or was already acknowledged.";
  return self.registration.showNotification(response.ok ? done : ended, {
    body: String(name ?? ""),
    tag: String(tag ?? "vedette"),
    icon: "/icon-192.png",
    badge: "/icon-192.png",
    data: {},
  });
};

self.addEventListener("push", (event) => {
  const { title, body, tag, path, at, tone, link, actions } = readMessage(event.data);
  const shown = self.registration.showNotification(String(title ?? "Vedette"), {
    body: String(body ?? ""),
    tag: String(tag ?? "vedette"),
    // A notification of the same check replaces the previous one and alerts again.
    renotify: true,
    requireInteraction: tone === "failing",
    timestamp: Date.parse(at) || Date.now(),
    icon: "/icon-192.png",
    badge: "/icon-192.png",
    actions: listActions(actions),
    data: { path, link, tag, name: title },
  });
  event.waitUntil(shown);
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data = event.notification.data ?? {};
  const isAction = Object.hasOwn(actionTitles, event.action ?? "") && typeof data.link === "string";
  event.waitUntil(isAction ? act(event.action, data) : openWindow(readPath(data.path)));
});
