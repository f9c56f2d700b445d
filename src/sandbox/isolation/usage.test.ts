import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { countOpen, countSocketsOfNetwork, findExcess, type Usage } from "./usage.ts";

const limits = { memoryBytes: 512, processes: 10, folderBytes: 1, cpuSeconds: 1 };
const [mib, gib] = [2 ** 20, 2 ** 30];
const usage: Usage = {
  ...{ memoryBytes: 1, threads: 1, descriptors: 1, sockets: 1, disk: null },
  machine: { freeBytes: 8 * gib, totalBytes: 16 * gib },
};

test("a run within its limits goes on", () => {
  const most = { memoryBytes: 512, threads: 10, sockets: 1_024, descriptors: 16_384 };
  const disk = { freeBytes: 256 * mib, totalBytes: 10 * gib };
  assert.equal(findExcess({ ...usage, ...most, disk }, usage, limits), null);
});

test("memory, processes, sockets and descriptors are limited, with a reason where it is needed", () => {
  const find = (changes: Partial<Usage>) => findExcess({ ...usage, ...changes }, usage, limits);
  assert.deepEqual(find({ memoryBytes: 513 }), { limit: "memory", reason: null });
  assert.deepEqual(find({ threads: 11 }), { limit: "processes", reason: null });
  assert.match(find({ sockets: 1_025 })?.reason ?? "", /more than 1024 open sockets/);
  assert.match(find({ descriptors: 16_385 })?.reason ?? "", /more than 16384 descriptors/);
});

test("a run ends before it fills the disk, of which a small one may be a quarter free", () => {
  const find = (freeBytes: number, totalBytes: number) =>
    findExcess({ ...usage, disk: { freeBytes, totalBytes } }, usage, limits)?.reason ?? null;
  assert.match(find(255 * mib, 10 * gib) ?? "", /^Only 255 MiB were free on the disk/);
  assert.equal(find(60 * mib, 64 * mib), null);
  assert.match(find(15 * mib, 64 * mib) ?? "", /^Only 15 MiB were free/);
});

test("a run ends if the machine has little memory left and lost it during the run", () => {
  const machine = { freeBytes: 100 * mib, totalBytes: 16 * gib };
  const now = { ...usage, machine };
  assert.match(findExcess(now, usage, limits)?.reason ?? "", /^Only 100 MiB of the machine's/);
  assert.equal(findExcess(now, now, limits), null, "others have used the memory");
});

test("sockets are found among the descriptors of a process and in the network", async () => {
  const self = { id: String(process.pid), descriptors: 0 };
  const before = countOpen([self]);
  const network = countSocketsOfNetwork();
  const servers = Array.from({ length: 20 }, () => createServer());
  for (const server of servers) {
    await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  }
  const now = countOpen([self]);
  assert.ok(now.sockets >= before.sockets + 20 && now.descriptors >= now.sockets);
  assert.ok(countSocketsOfNetwork() > 0 && network > 0);
  for (const server of servers) server.close();
  assert.deepEqual(countOpen([{ id: "4194304", descriptors: 7 }]), { descriptors: 0, sockets: 0 });
});

test("counting ends at the limit, so that more processes do not make it slower", async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const self = { id: String(process.pid), descriptors: 64 };
  const one = countOpen([self]);
  const many = countOpen(Array.from({ length: 10_000 }, () => self));
  assert.ok(many.sockets > 1_024 || many.descriptors > 16_384);
  assert.ok(many.sockets <= 1_024 + one.sockets && many.descriptors <= 16_384 + one.descriptors);
});
