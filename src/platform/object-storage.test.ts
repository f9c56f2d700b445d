import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type S3Server, startS3Server } from "../../test/support/servers/s3-server.ts";
import { systemClock } from "./clock.ts";
import { S3Bucket, signRequest } from "./object-storage.ts";
import { createOutbound } from "./outbound.ts";

const secret = "secret/+=";
let server: S3Server;
before(async () => {
  server = await startS3Server(secret);
});
after(() => server.stop());

const openBucket = (secretAccessKey = secret) =>
  new S3Bucket({
    ...{ endpoint: `${server.url}/`, bucket: "files", region: "eu-west-1", accessKeyId: "KEY" },
    ...{ secretAccessKey, outbound: createOutbound({ allowPrivate: true }), clock: systemClock },
  });

test("an object is stored, read in part and deleted, with signatures that the server verifies", async () => {
  const bucket = openBucket();
  const key = "assets/a b/ü(1)*.png";
  await bucket.put(key, Buffer.from("0123456789"), "image/png");
  assert.deepEqual([...server.objects.keys()], [`/files/${key}`]);
  assert.equal(String(await bucket.get(key, { start: 2, end: 4 })), "234");
  await bucket.delete(key);
  assert.equal(await bucket.get(key, { start: 0, end: 1 }), null);
});

test("a wrong secret and an outage are errors without parts of the key", async () => {
  await assert.rejects(
    openBucket("wrong").put("a", Buffer.from("x"), "image/png"),
    /^S3Error|status 403: SignatureDoesNotMatch/,
  );
  server.fault = 500;
  await assert.rejects(openBucket().delete("a"), /status 500: InternalError/);
  server.fault = null;
});

test("the signature is that of the example in the specification", () => {
  const request = {
    method: "GET",
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    headers: { range: "bytes=0-9" },
    body: null,
  } as const;
  const signing = {
    region: "us-east-1",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const { authorization } = signRequest(request, signing, new Date("2013-05-24T00:00:00Z"));
  assert.match(
    authorization ?? "",
    /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/,
  );
});
