// Encodes classic BPF programs, which the kernel runs on packets before queueing them.

import { SOCK_FILTER_SIZE, SOCK_FPROG } from "./kernel-layout.ts";
import type { Arena } from "./libc.ts";

export interface FilterInstruction {
  readonly operation: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

export const LOAD_BYTE = 0x30;
export const LOAD_HALF = 0x28;
export const LOAD_WORD = 0x20;
export const LOAD_BYTE_INDEXED = 0x50;
export const LOAD_HALF_INDEXED = 0x48;
export const LOAD_WORD_INDEXED = 0x40;
export const LOAD_IP_HEADER_LENGTH = 0xb1;
export const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
export const RETURN = 0x06;
export const WHOLE_PACKET = 0x40000;

export function step(operation: number, operand: number): FilterInstruction {
  return { operation, ifTrue: 0, ifFalse: 0, operand };
}

/**
 * Creates a conditional jump. If the loaded value equals the operand, the program continues with
 * the next instruction. Otherwise, the program skips as many instructions as `ifFalse` specifies.
 */
export function branch(operand: number, ifFalse: number): FilterInstruction {
  return { operation: JUMP_IF_EQUAL, ifTrue: 0, ifFalse, operand };
}

/** Writes a filter program as a struct sock_fprog at an offset of the arena. */
export function writeFilter(arena: Arena, at: number, program: readonly FilterInstruction[]): void {
  const instructions = at + SOCK_FPROG.size;
  arena.halfWords[(at + SOCK_FPROG.count) / 2] = program.length;
  arena.longs[(at + SOCK_FPROG.filters) / 8] = arena.pointer(instructions);
  program.forEach((instruction, position) => {
    const place = instructions + position * SOCK_FILTER_SIZE;
    arena.halfWords[place / 2] = instruction.operation;
    arena.bytes[place + 2] = instruction.ifTrue;
    arena.bytes[place + 3] = instruction.ifFalse;
    arena.words[place / 4 + 1] = instruction.operand;
  });
}
