// Shows push messages and opens the application when one is pressed. It stores nothing and answers
// no request: the application is always loaded from its server.
const readMessage = (data) => {
  try {
    const message = data?.json();
    return typeof message === "object" && message !== null ? message : {};
  } catch {
    return {};
  }
};

// Only a path of this application: whatever a message says, no other site is opened.
const readPath = (path) => {
  const url = URL.parse(typeof path === "string" ? path : "/", self.location.origin);
  return url?.origin === self.location.origin ? url.href : self.location.origin;
};

self.addEventListener("push", (event) => {
  const { title, body, tag, path, at, tone } = readMessage(event.data);
  const shown = self.registration.showNotification(String(title ?? "Vedette"), {
    body: String(body ?? ""),
    tag: String(tag ?? "vedette"),
    // News of the same check takes the place of what was there, and is heard again.
    renotify: true,
    requireInteraction: tone === "failing",
    timestamp: Date.parse(at) || Date.now(),
    icon: "/icon-192.png",
    badge: "/icon-192.png",
    data: { path },
  });
  event.waitUntil(shown);
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = readPath(event.notification.data?.path);
  const open = async () => {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const [first] = windows;
    if (first === undefined) return self.clients.openWindow(address);
    const moved = await first.navigate(address).catch(() => null);
    return moved === null ? self.clients.openWindow(address) : moved.focus();
  };
  event.waitUntil(open());
});
