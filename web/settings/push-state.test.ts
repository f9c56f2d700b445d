import assert from "node:assert/strict";
import { test } from "node:test";
import { decidePushState, nameDevice, type Surroundings } from "./push-state.ts";

const here: Surroundings = {
  isSecure: true,
  hasPush: true,
  isAppleMobile: false,
  isInstalled: false,
  permission: "default",
  isSubscribed: false,
};

test("the first obstacle is reported, and push is on only if there is none", () => {
  const cases = [
    [{}, "off"],
    [{ permission: "granted", isSubscribed: true }, "on"],
    [{ permission: "granted" }, "off"],
    [{ permission: "default", isSubscribed: true }, "off"],
    [{ permission: "denied", isSubscribed: true }, "denied"],
    [{ hasPush: false }, "unsupported"],
    [{ isAppleMobile: true, hasPush: false }, "not-installed"],
    [{ isAppleMobile: true, isInstalled: true }, "off"],
    [{ isSecure: false, hasPush: false, isAppleMobile: true }, "insecure"],
  ] as const;
  for (const [change, state] of cases) {
    assert.equal(decidePushState({ ...here, ...change }), state, JSON.stringify(change));
  }
});

test("a device is named after its browser and system", () => {
  const android =
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36";
  const iphone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1";
  const edge =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0";
  assert.equal(nameDevice(android), "Chrome on Android");
  assert.equal(nameDevice(iphone), "Safari on iPhone");
  assert.equal(nameDevice(edge), "Edge on Windows");
  assert.equal(nameDevice(""), "Browser on this device");
});
