// Attempts of a page to leave the browser and its sandbox, for escape-attempts.cjs.
"use strict";
const firstLine = (error) => String(error.message).split("\n")[0].slice(0, 70);

module.exports = async (targets, say) => {
  const { chromium } = require("playwright");
  const visit = async (browser, name, url) => {
    const page = await browser.newPage();
    try {
      const response = await page.goto(url, { timeout: 10_000 });
      const status = response?.status() ?? 0;
      const text = (await page.textContent("body")).trim().slice(0, 60);
      const isDenied = status === 403 || text === "";
      say(name, isDenied ? `denied (${status})` : `POSSIBLE (${status} ${text})`);
    } catch (error) {
      say(name, `denied (${firstLine(error)})`);
    }
    await page.close();
  };
  const { port, deniedUrl, allowedUrl, file, folder, assetFile, otherProcessId } = targets;
  const addresses = {
    "the loopback interface": `http://127.0.0.1:${port}/`,
    localhost: `http://localhost:${port}/`,
    "the loopback interface over IPv6": `http://[::1]:${port}/`,
    "a denied address": deniedUrl,
    "the metadata service": "http://169.254.169.254/latest/meta-data",
    "a private address": "http://10.1.2.3/",
  };
  const files = {
    "a file of the machine": file,
    "the data folder": folder,
    "a file of another account": assetFile,
    "the password file": "/etc/shadow",
    "the home of root": "/root",
    "the environment of process 1": "/proc/1/environ",
    "the environment of another run": `/proc/${otherProcessId}/environ`,
  };
  const browser = await chromium.launch();
  for (const [name, url] of Object.entries(addresses)) await visit(browser, `open ${name}`, url);
  for (const [name, path] of Object.entries(files)) {
    await visit(browser, `open ${name} in a page`, `file://${path}`);
  }
  const page = await browser.newPage();
  await page.goto(allowedUrl);
  if (!(await page.textContent("body")).includes("at 127.0.0.79"))
    say("open a page that is allowed", "POSSIBLE (the attempts prove nothing)");
  const inPage = async (name, act, value) => {
    const got = await page.evaluate(act, value).catch((error) => firstLine(error));
    say(name, got === "reached" ? "POSSIBLE" : `denied (${got})`);
  };
  await inPage("open a WebSocket to the service", (url) =>
    new Promise((resume) => {
      const socket = new WebSocket(url);
      socket.onopen = () => resume("reached");
      socket.onerror = () => resume("error");
      setTimeout(resume, 5_000, "silent");
    }), `ws://127.0.0.1:${port}/`);
  await inPage("read a file from a page", async (path) => {
    await fetch(`file://${path}`);
    return "reached";
  }, file);
  // The test counts what arrives.
  await inPage("send datagrams from a page", async (target) => {
    const urls = [`stun:${target}`, `turn:${target}?transport=udp`];
    const servers = urls.map((url) => ({ urls: url, username: "u", credential: "c" }));
    const connection = new RTCPeerConnection({ iceServers: servers });
    connection.createDataChannel("x");
    await connection.setLocalDescription(await connection.createOffer());
    await new Promise((resume) => setTimeout(resume, 1_000));
    return "sent";
  }, `127.0.0.79:${targets.datagramPort}`);
  await browser.close();
  const direct = ["--no-proxy-server", "--host-resolver-rules=MAP * 127.0.0.1", "--disable-web-security"];
  const other = await chromium.launch({ args: direct });
  const open = (name, url) => visit(other, `${name} without the proxy`, url);
  await open("open the loopback interface", `http://127.0.0.1:${port}/`);
  await open("open a name of the loopback interface", `http://shop.test:${port}/`);
  await open("open the metadata service", "http://169.254.169.254/");
  await other.close();
  const sockets = [`http://127.0.0.1:${port}`, "http://127.0.0.1:9222"];
  for (const url of sockets) {
    try {
      await chromium.connectOverCDP(url, { timeout: 5_000 });
      say(`drive a browser at ${url}`, "POSSIBLE");
    } catch (error) {
      say(`drive a browser at ${url}`, `denied (${firstLine(error)})`);
    }
  }
};
