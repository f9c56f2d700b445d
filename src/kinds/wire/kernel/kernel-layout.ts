// Linux constants and struct offsets for probers. They are valid on 64-bit little-endian Linux
// (x64, arm64), with glibc and with musl.

export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_PACKET = 17;
export const ETH_P_ALL = 3;
export const PACKET_OUTGOING = 4;
export const ARPHRD_LOOPBACK = 772;
export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;
export const IPPROTO_IP = 0;
export const IPPROTO_ICMP = 1;
export const IPPROTO_TCP = 6;
export const IPPROTO_UDP = 17;
export const IPPROTO_IPV6 = 41;
export const IPPROTO_ICMPV6 = 58;

export const SOL_SOCKET = 1;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_ATTACH_FILTER = 26;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;
export const SO_TIMESTAMPING = 37;
export const SO_MEMINFO = 55;
export const SK_MEMINFO_DROPS_WORD = 8;
export const SK_MEMINFO_WORDS = 9;

export const SOF_TIMESTAMPING_TX_SOFTWARE = 1 << 1;
export const SOF_TIMESTAMPING_RX_SOFTWARE = 1 << 3;
export const SOF_TIMESTAMPING_SOFTWARE = 1 << 4;
/**
 * Option that numbers sent packets. `SOF_TIMESTAMPING_OPT_TSONLY` returns transmit timestamps
 * without the bytes of the packet.
 */
export const SOF_TIMESTAMPING_OPT_ID = 1 << 7;
export const SOF_TIMESTAMPING_OPT_TSONLY = 1 << 11;

export const IP_TTL = 2;
export const IP_MTU_DISCOVER = 10;
/** Path MTU mode that fragments packets larger than the path MTU. */
export const IP_PMTUDISC_WANT = 1;
/** Path MTU mode that never fragments packets and ignores the path MTU. */
export const IP_PMTUDISC_PROBE = 3;
export const IP_RECVERR = 11;
export const IP_RECVTTL = 12;
/** Socket option that returns where extensions of an ICMP error start, since Linux 5.9. */
export const IP_RECVERR_RFC4884 = 26;
export const IPV6_UNICAST_HOPS = 16;
export const IPV6_MTU_DISCOVER = 23;
export const IPV6_RECVERR = 25;
export const IPV6_RECVERR_RFC4884 = 31;
export const IPV6_RECVHOPLIMIT = 51;
export const IPV6_HOPLIMIT = 52;
export const SOL_RAW = 255;
export const ICMP_FILTER = 1;
export const ICMP6_FILTER = 1;

export const MSG_DONTWAIT = 0x40;
export const MSG_ERRQUEUE = 0x2000;
export const POLLIN = 0x1;
export const POLLERR = 0x8;
export const EFD_NONBLOCK = 0o4000;
export const EFD_CLOEXEC = 0o2000000;
export const CLOCK_REALTIME = 0;
export const PROT_READ_WRITE = 3;
export const MAP_PRIVATE_ANONYMOUS = 0x22;

export const SO_EE_ORIGIN_LOCAL = 1;
export const SO_EE_ORIGIN_ICMP = 2;
export const SO_EE_ORIGIN_ICMP6 = 3;
export const SO_EE_ORIGIN_TIMESTAMPING = 4;

export const ERRNO = {
  EPERM: 1,
  EINTR: 4,
  EAGAIN: 11,
  EACCES: 13,
  EINVAL: 22,
  EMSGSIZE: 90,
  EAFNOSUPPORT: 97,
  EADDRNOTAVAIL: 99,
  ENETDOWN: 100,
  ENETUNREACH: 101,
  ENOBUFS: 105,
  ECONNREFUSED: 111,
  EHOSTDOWN: 112,
  EHOSTUNREACH: 113,
} as const;

/** Layout of struct mmsghdr: a msghdr of 56 bytes, followed by the number of transferred bytes. */
export const MMSGHDR = {
  name: 0,
  nameLength: 8,
  vectors: 16,
  vectorCount: 24,
  control: 32,
  controlLength: 40,
  flags: 48,
  movedLength: 56,
  size: 64,
} as const;

export const IOVEC = { start: 0, length: 8, size: 16 } as const;
export const CMSGHDR = { length: 0, level: 8, type: 12, data: 16, alignment: 8 } as const;
export const POLLFD = { fd: 0, events: 4, revents: 6, size: 8 } as const;
export const TIMESPEC = { seconds: 0, nanoseconds: 8, size: 16 } as const;
export const SOCKADDR_IN = { family: 0, port: 2, address: 4, size: 16 } as const;
export const SOCKADDR_IN6 = { family: 0, port: 2, address: 8, size: 28 } as const;
export const SOCKADDR_LL = {
  family: 0,
  protocol: 2,
  hardware: 8,
  packetType: 10,
  size: 20,
} as const;
export const SOCK_FPROG = { count: 0, filters: 8, size: 16 } as const;
export const SOCK_FILTER_SIZE = 8;
export const EXTENDED_ERROR = {
  errno: 0,
  origin: 4,
  type: 5,
  code: 6,
  info: 8,
  data: 12,
  size: 16,
} as const;

export function nameErrno(errno: number): string {
  const entry = Object.entries(ERRNO).find(([, value]) => value === errno);
  return entry?.[0] ?? `errno ${errno}`;
}
