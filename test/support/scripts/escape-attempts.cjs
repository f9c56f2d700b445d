// Attempts to leave a sandbox, one line each: "name: denied (why)" or "name: POSSIBLE (what)".
// ESCAPE_TARGETS has what to look for outside. Exports a promise, for those who run it as a module.
"use strict";
const targets = JSON.parse(process.env.ESCAPE_TARGETS);
// Empty, or the folder of the run if the sandbox has no file tree.
const root = process.env.VEDETTE_ROOT;
const fs = require("node:fs"),
  net = require("node:net"),
  dgram = require("node:dgram");
const { execFileSync: runProgram } = require("node:child_process");
const { dlopen, getRawPointer, toArrayBuffer } = process.getBuiltinModule("node:ffi");
const text = (words) => {
  const bytes = Buffer.from(words + "\0");
  kept.push(bytes);
  return getRawPointer(bytes);
};
const kept = [];
const I = "int32",
  U = "uint64",
  P = "pointer";
const libc = dlopen(null, {
  syscall: { return: "int64", arguments: ["int64", U, U, U, U, U] },
  setuid: { return: I, arguments: ["uint32"] },
  setgid: { return: I, arguments: ["uint32"] },
  socket: { return: I, arguments: [I, I, I] },
  connect: { return: I, arguments: [I, P, "uint32"] },
  sendto: { return: "int64", arguments: [I, P, U, I, P, "uint32"] },
  prctl: { return: I, arguments: [I, U, U, U, U] },
  setrlimit: { return: I, arguments: [I, P] },
  setpriority: { return: I, arguments: [I, I, I] },
  chroot: { return: I, arguments: [P] },
  mknod: { return: I, arguments: [P, "uint32", U] },
  __errno_location: { return: P, arguments: [] },
}).functions;
const errno = new Int32Array(toArrayBuffer(libc.__errno_location(), 4, false));
const isArm = process.arch === "arm64";
const lines = [];
const say = (name, verdict) => lines.push(name + ": " + verdict);
const attempt = (name, act) => {
  try {
    const got = act();
    say(name, "POSSIBLE (" + String(got).slice(0, 80).replace(/\n/g, " ") + ")");
  } catch (error) {
    say(name, "denied (" + (error.code || error.message).slice(0, 60).replace(/\n/g, " ") + ")");
  }
};
const ofKernel = (name, arm, x64, ...values) =>
  attempt(name, () => {
    const all = [0, 1, 2, 3, 4].map((index) => BigInt(values[index] ?? 0));
    const returned = Number(libc.syscall(BigInt(isArm ? arm : x64), ...all));
    if (returned < 0) throw new Error("errno " + errno[0]);
    return returned;
  });
const mustFail = (name, call) =>
  attempt(name, () => {
    const returned = call();
    if (Number(returned) < 0) throw new Error("errno " + errno[0]);
    return returned;
  });
const address4 = (port, a, b, c, d) => {
  const bytes = Buffer.from([2, 0, port >> 8, port & 255, a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0]);
  kept.push(bytes);
  return getRawPointer(bytes);
};
const reach = (name, target, write = "") =>
  new Promise((resume) => {
    const end = (verdict) => {
      say(name, verdict);
      socket.destroy();
      resume();
    };
    const socket = net.connect(target);
    socket.setTimeout(5_000, () => end("denied (silent)"));
    socket.on("connect", () => socket.write(write));
    socket.on("data", (bytes) => end("POSSIBLE (" + String(bytes).slice(0, 40) + ")"));
    socket.on("error", (error) => end("denied (" + error.code + ")"));
    socket.on("close", () => end("denied (closed)"));
  }).then(
    () => {},
    () => {},
  );
const get = async (name, url) => {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: "manual" });
    say(name, status === 403 ? "denied (403)" : "POSSIBLE (status " + status + ")");
  } catch (error) {
    say(name, "denied (" + (error.cause?.code || error.name) + ")");
  }
};
module.exports = (async () => {
  // Files
  attempt("read a file of the machine", () => fs.readFileSync(targets.file));
  attempt("list the data folder", () => fs.readdirSync(targets.folder));
  attempt("read a file of another account", () => fs.readFileSync(targets.assetFile));
  attempt("replace a file of another account", () => fs.openSync(targets.assetFile, "r+"));
  attempt("read the memory of the machine", () => fs.openSync("/proc/kcore", "r"));
  attempt("read the password file", () => fs.readFileSync("/etc/shadow"));
  attempt("list the home of root", () => fs.readdirSync("/root"));
  attempt("list the home folders", () => fs.readdirSync("/home"));
  attempt("list the system's devices", () => fs.readdirSync("/sys"));
  attempt("climb out of the root folder", () => fs.readFileSync("/../../.." + targets.file));
  attempt("follow a link out", () => {
    fs.symlinkSync(targets.file, root + "/script/link");
    return fs.readFileSync(root + "/script/link");
  });
  attempt("enter through the root of process 1", () => fs.readdirSync("/proc/1/root"));
  attempt("enter through the folder of process 1", () => fs.readdirSync("/proc/1/cwd"));
  attempt("enter through the descriptors of process 1", () => fs.readlinkSync("/proc/1/fd/1"));
  attempt("write to the programs", () => fs.writeFileSync("/usr/bin/x", ""));
  attempt("write to the libraries", () => fs.writeFileSync("/lib/x", ""));
  attempt("write to the settings", () => fs.writeFileSync("/etc/hosts", ""));
  attempt("write to the root folder", () => fs.writeFileSync("/x", ""));
  attempt("change the packages of the runtime", () => fs.writeFileSync(root + "/node_modules/x", ""));
  attempt("change the helpers", () => fs.appendFileSync(root + "/vedette/inside/events.cjs", ""));
  attempt("replace Node.js", () => fs.openSync(root + "/vedette/runtime-node", "r+"));
  attempt("write a kernel setting", () => fs.writeFileSync("/proc/sys/kernel/hostname", "x"));
  // What was read is written, in case it is possible.
  attempt("choose a core dump program", () =>
    fs.writeFileSync(
      "/proc/sys/kernel/core_pattern",
      fs.readFileSync("/proc/sys/kernel/core_pattern"),
    ),
  );
  attempt("press a system key", () => fs.writeFileSync("/proc/sysrq-trigger", "h"));
  attempt("make a device", () => {
    if (libc.mknod(text(root + "/script/mem"), 0o20666, 257n) < 0) throw new Error("errno " + errno[0]);
    return "made";
  });
  for (const name of ["mem", "kmsg", "fuse", "kvm", "sda", "vda"])
    attempt("open the device " + name, () => fs.openSync("/dev/" + name, "r"));
  ofKernel("open a file by its handle", 265, 304, -100, 0, 0);
  // Processes
  attempt("read the environment of process 1", () => fs.readFileSync("/proc/1/environ"));
  attempt("read the memory of process 1", () => fs.openSync("/proc/1/mem", "r+"));
  attempt("read the environment of the service", () =>
    fs.readFileSync(`/proc/${targets.processId}/environ`),
  );
  attempt("signal the service", () => process.kill(targets.processId, 0));
  // The kernel ignores these if the script has the user of process 1; the run goes on either way.
  for (const signal of ["SIGKILL", "SIGTERM", "SIGSTOP", "SIGINT", "SIGUSR1"]) {
    try {
      process.kill(1, signal);
    } catch {}
  }
  await reach(
    "start the debugger of process 1",
    { host: "127.0.0.1", port: 9229 },
    "GET /json HTTP/1.0\r\n\r\n",
  );
  ofKernel("trace process 1", 117, 101, 16, 1, 0, 0);
  ofKernel("read memory across processes", 270, 310, 1, 0, 0, 0, 0);
  ofKernel("compare processes", 272, 312, 1, 1, 0, 0, 0);
  ofKernel("take a descriptor of another process", 438, 438, 0, 0, 0);
  attempt("see other processes", () => {
    const others = fs
      .readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && name !== String(process.pid) && name !== "1");
    if (others.length === 0) throw new Error("none");
    return others;
  });
  // Other runs
  attempt("read a file of another run", () => {
    if (targets.otherFolder === "" && root !== "") throw new Error("none");
    return fs.readFileSync(targets.otherFolder + "/tmp/of-another-run");
  });
  attempt("list the folder of another run", () =>
    fs.readdirSync((targets.otherFolder || "/nowhere") + "/script"),
  );
  attempt("find folders of runs", () => {
    const found = fs.readdirSync("/tmp").filter((name) => /^vedette-script-/.test(name));
    if (found.length === 0) throw new Error("none");
    return found;
  });
  attempt("read the environment of another run", () =>
    fs.readFileSync("/proc/" + targets.otherProcessId + "/environ"),
  );
  attempt("enter another run", () => fs.readdirSync("/proc/" + targets.otherProcessId + "/root/"));
  attempt("write into another run", () =>
    fs.openSync("/proc/" + targets.otherProcessId + "/mem", "r+"),
  );
  attempt("signal another run", () => process.kill(targets.otherProcessId, 0));
  attempt("lower the limits of another run", () => {
    if (libc.setpriority(0, targets.otherProcessId, 19) < 0) throw new Error("errno " + errno[0]);
    return "lowered";
  });
  for (const [who, id] of [["another run", targets.otherProcessId], ["the service", targets.processId]]) {
    ofKernel("limit " + who, 261, 302, id, 7, getRawPointer(new BigUint64Array([8n, 8n])), 0);
    ofKernel("move " + who + " to one processor", 122, 203, id, 8, getRawPointer(new BigUint64Array([1n])));
    ofKernel("schedule " + who, 119, 144, id, 5, getRawPointer(new BigUint64Array([0n])));
    ofKernel("signal " + who + " by a thread", 131, 234, id, id, 0);
  }
  if (root !== "") {
    mustFail("lower the priority of a user", () => libc.setpriority(2, 0, 19));
    ofKernel("make a message queue of the machine", 186, 68, 0, 0o1600);
    ofKernel("make semaphores of the machine", 190, 64, 0, 1, 0o1600);
  }
  if (targets.otherProxyPort !== Number(new URL(process.env.VEDETTE_PROXY).port))
    await reach(
      "connect by the proxy of another run",
      { host: "127.0.0.1", port: targets.otherProxyPort },
      "GET http://127.0.0.79/ HTTP/1.0\r\n\r\n",
    );
  // Privileges
  mustFail("become root", () => (process.getuid() === 0 ? -1 : libc.setuid(0)));
  mustFail("become another user", () => libc.setuid(1));
  mustFail("join another group", () => libc.setgid(1));
  attempt("run a program of root", () =>
    runProgram("su", ["-c", "id"], { stdio: "pipe", timeout: 5_000 }),
  );
  attempt("use ping's privileges", () =>
    runProgram("ping", ["-c", "1", "127.0.0.1"], { stdio: "pipe", timeout: 5_000 }),
  );
  mustFail("allow new privileges", () => libc.prctl(38, 0n, 0n, 0n, 0n));
  mustFail("leave the filter", () => libc.prctl(22, 0n, 0n, 0n, 0n));
  mustFail("raise a limit", () => {
    const limits = new BigUint64Array([1n << 40n, 1n << 40n]);
    return libc.setrlimit(6, getRawPointer(limits));
  });
  mustFail("raise the priority", () => libc.setpriority(0, 0, -20));
  attempt("gain capabilities", () => {
    const header = new Uint32Array([0x20080522, 0]);
    const all = new Uint32Array(6).fill(0xffffffff);
    if (
      Number(
        libc.syscall(
          BigInt(isArm ? 91 : 126),
          getRawPointer(header),
          getRawPointer(all),
          0n,
          0n,
          0n,
        ),
      ) < 0
    )
      throw new Error("errno " + errno[0]);
    return "gained";
  });
  // The kernel
  attempt("create a user namespace by a program", () =>
    runProgram("unshare", ["-r", "true"], { stdio: "pipe" }),
  );
  ofKernel("create a user namespace", 97, 272, 0x10000000);
  ofKernel("clone into new namespaces", 220, 56, 0x10000011, 0, 0, 0, 0);
  ofKernel("clone by the newer call", 435, 435, 0, 0);
  ofKernel("join a namespace", 268, 308, 0, 0);
  mustFail("change the root folder", () => libc.chroot(text("/tmp")));
  ofKernel("pivot the root folder", 41, 155, text("/tmp"), text("/tmp"));
  ofKernel("mount", 40, 165, text("tmpfs"), text("/tmp"), text("tmpfs"), 0, 0);
  ofKernel("unmount", 39, 166, text("/proc"), 2);
  ofKernel("open a file system", 430, 430, text("tmpfs"), 0);
  ofKernel("change a mount", 442, 442, -100, text("/usr"), 0, 0, 0);
  ofKernel("load a program into the kernel", 280, 321, 0, 0, 0);
  ofKernel("count events of the kernel", 241, 298, 0, 0, 0, 0, 0);
  ofKernel("use the key ring", 219, 250, 0, 0, 0, 0, 0);
  ofKernel("add a key", 217, 248, text("user"), text("x"), text("x"), 1, -3);
  ofKernel("handle page faults", 282, 323, 0);
  ofKernel("use memory that no limit counts", 279, 319, text("x"), 0);
  ofKernel("share memory that no limit counts", 194, 29, 0, 1 << 30, 0o1600);
  ofKernel("use asynchronous calls", 425, 425, 1, 0);
  ofKernel("load a module", 105, 175, 0, 0, text(""));
  ofKernel("restart with another kernel", 104, 246, 0, 0, 0, 0);
  ofKernel("restart the machine", 142, 169, 0, 0, 0, 0);
  ofKernel("use swap space", 224, 167, text(root + "/script/x"), 0);
  ofKernel("rename the machine", 161, 170, text("x"), 1);
  ofKernel("set the clock", 112, 227, 0, text("0000000000000000"));
  ofKernel("read the kernel's log", 116, 103, 3, 0, 0);
  // Network
  for (const [name, family, type, protocol] of [
    ["raw", 2, 3, 1],
    ["packet", 17, 3, 768],
    ["virtual machine", 40, 1, 0],
    ["kernel crypto", 38, 5, 0],
    ["Bluetooth", 31, 3, 1],
    ["firewall", 16, 3, 12],
  ]) {
    mustFail("open a " + name + " socket", () => libc.socket(family, type, protocol));
  }
  mustFail("connect by Multipath TCP", () =>
    libc.connect(libc.socket(2, 1, 262), address4(targets.port, 127, 0, 0, 1), 16),
  );
  mustFail("connect by fast open", () =>
    libc.sendto(
      libc.socket(2, 1, 0),
      text("GET"),
      3n,
      0x20000000,
      address4(targets.port, 127, 0, 0, 1),
      16,
    ),
  );
  await reach(
    "connect to the loopback interface",
    { host: "127.0.0.1", port: targets.port },
    "hello",
  );
  await reach(
    "connect to the loopback interface over IPv6",
    { host: "::1", port: targets.port },
    "hello",
  );
  await reach("connect to a socket of the service", { path: targets.socket }, "hello");
  await reach("connect to an abstract socket", { path: "\0" + targets.abstractSocket }, "hello");
  await reach(
    "connect to the metadata service",
    { host: "169.254.169.254", port: 80 },
    "GET / HTTP/1.0\r\n\r\n",
  );
  const encoded = (groups) => ({ host: "fd56:6564:6574:7465:1:" + groups, port: 3128 });
  await reach(
    "connect to the metadata service by an address with the target",
    encoded("50:a9fe:a9fe"),
    "GET / HTTP/1.0\r\n\r\n",
  );
  await reach(
    "connect to the loopback interface by an address with the target",
    encoded(targets.port.toString(16) + ":7f00:1"),
    "hello",
  );
  for (const host of [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[64:ff9b::a9fe:a9fe]",
  ]) {
    await get("fetch from the metadata service at " + host, "http://" + host + "/latest/meta-data");
  }
  await get("fetch from a denied address", targets.deniedUrl);
  await get(
    "fetch from a denied address by a name",
    targets.deniedUrl.replace("127.0.0.77", "denied.localhost"),
  );
  for (const host of [
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "167838211",
    "[fd00::1]",
    "[::ffff:10.1.2.3]",
    "[64:ff9b::a01:203]",
  ]) {
    await get("fetch from a private address at " + host, "http://" + host + "/");
  }
  await reach(
    "connect to a private address",
    { host: "10.1.2.3", port: 80 },
    "GET / HTTP/1.0\r\n\r\n",
  );
  // Every other answer for this name is an address that is denied.
  const rebound = [];
  for (let count = 0; count < 10; count += 1) {
    const answer = await fetch(targets.reboundUrl, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    rebound.push(answer === null ? "" : await answer.text().catch(() => ""));
  }
  const isRebound = rebound.some((body) => body.includes("at 127.0.0.77"));
  say("reach a denied address by a name that changes", isRebound ? "POSSIBLE" : "denied");
  if (!rebound.some((body) => body.includes("at 127.0.0.79")))
    say("reach the address that the name has otherwise", "POSSIBLE (the attempt proves nothing)");
  const datagrams = dgram.createSocket("udp4");
  await new Promise((resume) => {
    datagrams.on("error", () => resume());
    datagrams.send("out", targets.datagramPort, "127.0.0.79", () => setTimeout(resume, 200));
  });
  try {
    datagrams.close();
  } catch {}
  if (process.env.ESCAPE_PAGES !== undefined) await require("./page-attempts.cjs")(targets, say);
  // What is inherited
  attempt("find inherited descriptors", () => {
    const found = fs.readdirSync("/proc/self/fd").map((name) => {
      try {
        return fs.readlinkSync("/proc/self/fd/" + name);
      } catch {
        return "";
      }
    });
    const foreign = found.filter(
      (path) => path.startsWith("/") && !/^\/(dev\/null|proc\/|script|vedette)/.test(path.slice(path.startsWith(root) ? root.length : 0)),
    );
    if (foreign.length === 0) throw new Error("none");
    return foreign;
  });
  attempt("find settings of the service", () => {
    const found = Object.keys(process.env).filter((name) =>
      /DATABASE|ENCRYPTION|KEY|TOKEN|SECRET|SMTP|PASSWORD|DATA_DIR/.test(name),
    );
    if (found.length === 0) throw new Error("none");
    return found;
  });
  // What arrives outside
  fs.symlinkSync(targets.file, root + "/script/stolen.png");
  fs.symlinkSync(targets.assetFile, root + "/script/foreign.png");
  try {
    fs.linkSync(targets.assetFile, root + "/script/linked.png");
  } catch {}
  fs.mkdirSync(root + "/script/folder.png");
  const forge = (event) => {
    try {
      fs.writeSync(3, JSON.stringify(event) + "\n");
    } catch {}
  };
  const part = Buffer.from("forged").toString("base64");
  forge({ kind: "asset", id: 1e6, type: "file", name: "../../../../etc/cron.d/x", part, isLast: true });
  forge({ kind: "asset", id: 1e6 + 1, type: "file", name: targets.file, part, isLast: true });
  forge({ kind: "end", status: "passed", __proto__: null, constructor: { name: "x" } });
  forge({ kind: "page", url: "javascript:alert(1)", vitals: { ttfbMs: "1; drop table", cls: -1 } });
  fs.writeFileSync(root + "/tmp/left-behind", "x");
  console.log(lines.join("\n"));
})();
