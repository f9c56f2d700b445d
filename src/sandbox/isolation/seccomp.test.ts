import assert from "node:assert/strict";
import { test } from "node:test";
import { buildFilter, type FilterRules, listFilteredCalls } from "./seccomp.ts";

interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly values?: readonly number[];
}

const native = { arm64: 0xc000_00b7, x64: 0xc000_003e } as const;

/** Runs a filter as the kernel does: "allow", "kill", or the number of an error. */
function decide(rules: FilterRules, { number, architecture, values = [] }: Call): string | number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE((architecture ?? native[rules.architecture]) >>> 0, 4);
  for (const [index, value] of values.entries()) data.writeUInt32LE(value >>> 0, 16 + index * 8);
  const program = buildFilter(rules);
  let register = 0;
  for (let place = 0; ; place += 1) {
    const code = program.readUInt16LE(place * 8);
    const value = program.readUInt32LE(place * 8 + 4);
    const jump = (isTrue: boolean) => program.readUInt8(place * 8 + (isTrue ? 2 : 3));
    if (code === 0x20) register = data.readUInt32LE(value);
    else if (code === 0x54) register = (register & value) >>> 0;
    else if (code === 0x15) place += jump(register === value);
    else if (code === 0x45) place += jump((register & value) !== 0);
    else if (code === 0x35) place += jump(register >= value);
    else if (code === 0x06) return describe(value);
    else throw new Error(`The kernel would reject instruction ${code}.`);
  }
}

function describe(value: number): string | number {
  if (value === 0x7fff_0000) return "allow";
  return value === 0x8000_0000 ? "kill" : value - 0x0005_0000;
}

const sockets = { arm64: 198, x64: 41 } as const;
const clones = { arm64: 220, x64: 56 } as const;
const reads = { arm64: 63, x64: 0 } as const;

for (const architecture of ["arm64", "x64"] as const) {
  const strict = { architecture, isTcpOnly: true };
  const usual = { architecture, isTcpOnly: false };

  test(`on ${architecture}, every listed call is denied, and others are allowed`, () => {
    const { denied, missing } = listFilteredCalls(architecture);
    for (const [name, number] of Object.entries(denied)) {
      assert.equal(decide(usual, { number }), 1, name);
    }
    for (const [name, number] of Object.entries(missing)) {
      assert.equal(decide(usual, { number }), 38, name);
    }
    assert.equal(decide(usual, { number: reads[architecture] }), "allow");
  });

  test(`on ${architecture}, calls in the form of another architecture end the process`, () => {
    for (const foreign of [0x4000_0003, 0x4000_0028, 0xc000_0015]) {
      assert.equal(decide(usual, { number: 1, architecture: foreign }), "kill");
    }
  });

  test(`on ${architecture}, threads may be created, and namespaces not`, () => {
    const number = clones[architecture];
    assert.equal(decide(usual, { number, values: [0x3d0f00] }), "allow");
    assert.equal(decide(usual, { number, values: [0x11] }), "allow");
    for (const flag of [0x2_0000, 0x200_0000, 0x1000_0000, 0x4000_0000]) {
      assert.equal(decide(usual, { number, values: [flag | 0x11] }), 1);
    }
  });

  test(`on ${architecture}, the sizes of buffers of sockets cannot be changed`, () => {
    const number = { arm64: 208, x64: 54 }[architecture];
    for (const rules of [usual, strict]) {
      const set = (...values: number[]) => decide(rules, { number, values });
      for (const option of [7, 8, 32, 33]) assert.equal(set(3, 1, option), 0);
      assert.equal(set(3, 1, 9), "allow");
      assert.equal(set(3, 6, 7), "allow");
    }
  });

  test(`on ${architecture}, sockets are limited by family, and with Landlock to TCP`, () => {
    const number = sockets[architecture];
    const ask = (rules: FilterRules, ...values: number[]) => decide(rules, { number, values });
    for (const rules of [usual, strict]) {
      for (const family of [2, 10]) {
        assert.equal(ask(rules, family, 1, 0), "allow");
        assert.equal(ask(rules, family, 0x80801, 6), "allow");
      }
      for (const family of [17, 31, 38, 40]) assert.equal(ask(rules, family, 3, 0), 97);
      assert.equal(ask(rules, 16, 3, 0), "allow");
      assert.equal(ask(rules, 16, 3, 12), 97);
    }
    assert.equal(ask(usual, 1, 1, 0), "allow");
    assert.equal(ask(usual, 2, 2, 0), "allow");
    assert.equal(ask(strict, 1, 1, 0), 97);
    assert.equal(ask(strict, 2, 2, 0), 97);
    assert.equal(ask(strict, 2, 1, 262), 97);
  });
}

test("with Landlock, limits and priorities of other processes cannot be changed", () => {
  const rules = { architecture: "x64", isTcpOnly: true } as const;
  const [prlimit, setpriority, ioprio] = [302, 141, 251];
  assert.equal(decide(rules, { number: prlimit, values: [0, 7] }), "allow");
  assert.equal(decide(rules, { number: prlimit, values: [4_711, 7] }), 1);
  assert.equal(decide(rules, { number: setpriority, values: [0, 0, 10] }), "allow");
  assert.equal(decide(rules, { number: setpriority, values: [0, 4_711, 10] }), 1);
  assert.equal(decide(rules, { number: setpriority, values: [2, 0, 10] }), 1);
  assert.equal(decide(rules, { number: ioprio }), 1);
  // Namespaces hide other processes.
  for (const number of [prlimit, ioprio]) {
    assert.equal(decide({ ...rules, isTcpOnly: false }, { number, values: [4_711] }), "allow");
  }
});

test("on x64, calls of the x32 form end the process", () => {
  assert.equal(decide({ architecture: "x64", isTcpOnly: false }, { number: 0x4000_0029 }), "kill");
});

test("with Landlock, fast open is denied in each call that has it", () => {
  const rules = { architecture: "arm64", isTcpOnly: true } as const;
  const fastOpen = 0x2000_0000;
  for (const [number, place] of [
    [206, 3],
    [211, 2],
    [269, 3],
  ] as const) {
    const values = [0, 0, 0, 0];
    assert.equal(decide(rules, { number, values }), "allow");
    values[place] = fastOpen | 0x4000;
    assert.equal(decide(rules, { number, values }), 95);
  }
});
