// Shows push notifications and opens the application when one is clicked. It has no cache and
// intercepts no requests: the application is always loaded from its server.
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

self.addEventListener("push", (event) => {
  const { title, body, tag, path, at, tone } = readMessage(event.data);
  const shown = self.registration.showNotification(String(title ?? "Vedette"), {
    body: String(body ?? ""),
    tag: String(tag ?? "vedette"),
    // A notification of the same check replaces the previous one and alerts again.
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
