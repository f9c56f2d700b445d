/** Prometheus' blackbox exporter from the Debian package, probing the same target. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCpuSeconds } from "../scale/processes.ts";

const program = "prometheus-blackbox-exporter";
const port = 19_115;
const modules = {
  plain: {
    prober: "http",
    timeout: "10s",
    http: { preferred_ip_protocol: "ip4", tls_config: { insecure_skip_verify: true } },
  },
};

export interface Blackbox {
  /** Returns the CPU time of one probe in microseconds. */
  measure(url: string, count: number): Promise<number>;
  stop(): void;
}

/** Returns `null` if it is not installed. */
export async function startBlackbox(): Promise<Blackbox | null> {
  if (spawnSync(program, ["--version"]).error !== undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), "vedette-blackbox-"));
  const file = join(folder, "blackbox.yml");
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify({ modules }));
  const address = `127.0.0.1:${port}`;
  const options = [`--config.file=${file}`, `--web.listen-address=${address}`, "--log.level=error"];
  const child = spawn(program, options, { stdio: "ignore" });
  await waitFor(child);
  const measure = async (url: string, count: number) => {
    await repeat(url, 300);
    const pids = [child.pid ?? 0];
    const before = readCpuSeconds(pids);
    await repeat(url, count);
    return ((readCpuSeconds(pids) - before) * 1_000_000) / count;
  };
  const stop = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { measure, stop };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", port, path, agent }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => {
        text += bytes;
      });
      answer.on("end", () => resolve(text));
    });
    request.on("error", reject);
  });
}

async function repeat(url: string, count: number): Promise<void> {
  let left = count;
  const path = `/probe?module=plain&target=${encodeURIComponent(url)}`;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const text = await get(path);
      if (!text.includes("\nprobe_success 1")) throw new Error("The exporter's probe failed.");
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

async function waitFor(child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const isUp = await get("/-/healthy").catch(() => null);
    if (isUp !== null) return;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error("The blackbox exporter did not start.");
}
