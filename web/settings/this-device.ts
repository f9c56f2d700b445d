/** Manages the push subscription of this browser. */
import { api, send } from "../api/client.ts";
import { decidePushState, nameDevice, type PushState } from "./push-state.ts";

const worker = "/push-worker.js";

async function findSubscription(): Promise<PushSubscription | null> {
  if (!("serviceWorker" in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

export async function readPushState(): Promise<PushState> {
  const hasPush =
    "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  return decidePushState({
    isSecure: window.isSecureContext,
    hasPush,
    isAppleMobile: /iPhone|iPad|iPod/.test(navigator.userAgent),
    isInstalled: matchMedia("(display-mode: standalone)").matches,
    permission: hasPush ? Notification.permission : "default",
    isSubscribed: hasPush && (await findSubscription()) !== null,
  });
}

/** Turns push on. Call this from a user gesture, because the browser asks for permission. */
export async function turnPushOn(): Promise<"on" | "denied"> {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return "denied";
  const { publicKey } = await send(api.GET("/v1/push-key"));
  const registration = await navigator.serviceWorker.register(worker, { scope: "/" });
  await navigator.serviceWorker.ready;
  // Browsers reject a subscription whose VAPID key differs from that of the existing subscription,
  // so the existing one is removed.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint = "", keys = {} } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys;
  const body = { name: nameDevice(navigator.userAgent), endpoint, keys: { p256dh, auth } };
  const device = await send(api.POST("/v1/users/me/push-subscriptions", { body }));
  localStorage.setItem(ownDeviceKey, device.id);
  return "on";
}

const ownDeviceKey = "vedette.push-device";

/** Returns the id of this browser's push subscription, or `null` if there is none. */
export function findOwnDeviceId(): string | null {
  try {
    return localStorage.getItem(ownDeviceKey);
  } catch {
    return null;
  }
}

/**
 * Deletes a push subscription. If the subscription belongs to this browser, it is also removed from
 * the browser.
 */
export async function turnPushOff(id: string): Promise<void> {
  await send(api.DELETE("/v1/users/me/push-subscriptions/{id}", { params: { path: { id } } }));
  if (id !== findOwnDeviceId()) return;
  localStorage.removeItem(ownDeviceKey);
  await (await findSubscription())?.unsubscribe();
}
