// Classic BPF programs that keep echo replies to other processes out of a raw socket's queue.

export interface FilterInstruction {
  readonly operation: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

const LOAD_BYTE = 0x30;
const LOAD_HALF = 0x28;
const LOAD_BYTE_INDEXED = 0x50;
const LOAD_HALF_INDEXED = 0x48;
const LOAD_IP_HEADER_LENGTH = 0xb1;
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const WHOLE_PACKET = 0x40000;

/** The identifier sits at 4 in a reply, and at 4 in the packet that an error quotes. */
const IDENT_IN_REPLY = 4;
const IDENT_IN_IPV4_ERROR = 8 + 20 + 4;
const IDENT_IN_IPV6_ERROR = 8 + 40 + 4;

/** The socket's data starts at the IP header. */
export function buildIpv4Filter(ident: number): readonly FilterInstruction[] {
  return [
    step(LOAD_IP_HEADER_LENGTH, 0),
    step(LOAD_BYTE_INDEXED, 0),
    branch(0, 2),
    step(LOAD_HALF_INDEXED, IDENT_IN_REPLY),
    step(JUMP, 1),
    step(LOAD_HALF_INDEXED, IDENT_IN_IPV4_ERROR),
    branch(ident, 1),
    step(RETURN, WHOLE_PACKET),
    step(RETURN, 0),
  ];
}

/** The socket's data starts at the ICMPv6 header. */
export function buildIpv6Filter(ident: number): readonly FilterInstruction[] {
  return [
    step(LOAD_BYTE, 0),
    branch(129, 2),
    step(LOAD_HALF, IDENT_IN_REPLY),
    step(JUMP, 1),
    step(LOAD_HALF, IDENT_IN_IPV6_ERROR),
    branch(ident, 1),
    step(RETURN, WHOLE_PACKET),
    step(RETURN, 0),
  ];
}

function step(operation: number, operand: number): FilterInstruction {
  return { operation, ifTrue: 0, ifFalse: 0, operand };
}

function branch(operand: number, ifFalse: number): FilterInstruction {
  return { operation: JUMP_IF_EQUAL, ifTrue: 0, ifFalse, operand };
}
