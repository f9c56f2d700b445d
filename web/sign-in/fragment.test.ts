import assert from "node:assert/strict";
import { test } from "node:test";
import { readChallenge, readToken } from "./fragment.ts";

test("a token is read only from the named parameter of the fragment", () => {
  const token = "q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE";
  assert.equal(readToken(`#link=${token}`, "link"), token);
  assert.equal(readToken(`link=${token}`, "link"), token);
  assert.equal(readToken(`#token=${token}`, "link"), null);
  assert.equal(readToken("", "token"), null);
  assert.equal(readToken("#token=short", "token"), null);
  assert.equal(readToken(`#token=${token}<script>`, "token"), null);
});

test("a challenge contains only known methods", () => {
  const challengeToken = "q5n1L0bq7cU4nXf3yT9d+Vw2sJ8kHr6/zA1eGiCoBvE=";
  const given = new URLSearchParams({ challenge: challengeToken, methods: "TOTP,NONE,PASSKEY" });
  assert.deepEqual(readChallenge(`#${given}`), { challengeToken, methods: ["TOTP", "PASSKEY"] });
  assert.equal(readChallenge("#challenge=short&methods=TOTP"), null);
  assert.equal(readChallenge("#link=q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPz"), null);
});
