import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { createPushReceiver } from "../../../../test/support/servers/push-receiver.ts";
import { createVapidKeys, encryptPush, isSoundTarget, writeVapidHeader } from "./web-push.ts";

test("the example of RFC 8291 is encrypted byte for byte", () => {
  const target = {
    p256dh:
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const chance = {
    salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"),
    privateKey: Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"),
  };
  const sent = encryptPush("When I grow up, I want to be a watermelon", target, chance);
  assert.equal(
    sent.toString("base64url"),
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6" +
      "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy" +
      "4a-fN",
  );
});

test("only the device can read a message, and each is encrypted with a new key", () => {
  const device = createPushReceiver();
  const text = JSON.stringify({ title: "Web is down — é 𝒳" });
  const first = encryptPush(text, device);
  assert.equal(device.decrypt(first), text);
  assert.notDeepEqual(encryptPush(text, device), first);
  assert.throws(() => createPushReceiver().decrypt(first));
});

test("invalid keys are rejected", () => {
  const { p256dh, auth } = createPushReceiver();
  assert.ok(isSoundTarget({ p256dh, auth }));
  const zero = Buffer.alloc(65).toString("base64url");
  for (const wrong of [
    { p256dh, auth: "AAAA" },
    { p256dh: "AAAA", auth },
    { p256dh: zero, auth },
  ]) {
    assert.equal(isSoundTarget(wrong), false);
  }
});

test("the signature proves the sender to one push service for twelve hours", () => {
  const now = new Date("2026-03-01T12:00:00.000Z");
  for (let turn = 0; turn < 20; turn += 1) {
    const keys = createVapidKeys();
    const endpoint = "https://push.example.com:8443/send/x1";
    const contact = "https://vedette.example";
    const header = writeVapidHeader(keys, { endpoint, contact, now });
    const [, head = "", claims = "", proof = "", key] =
      /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
    assert.equal(key, keys.publicKey);
    const point = Buffer.from(keys.publicKey, "base64url");
    const publicKey = createPublicKey({
      format: "jwk",
      key: {
        kty: "EC",
        crv: "P-256",
        x: point.subarray(1, 33).toString("base64url"),
        y: point.subarray(33).toString("base64url"),
      },
    });
    const signature = Buffer.from(proof, "base64url");
    const signed = Buffer.from(`${head}.${claims}`);
    assert.ok(verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature));
    assert.deepEqual(JSON.parse(Buffer.from(claims, "base64url").toString()), {
      aud: "https://push.example.com:8443",
      exp: now.getTime() / 1_000 + 43_200,
      sub: contact,
    });
  }
});
