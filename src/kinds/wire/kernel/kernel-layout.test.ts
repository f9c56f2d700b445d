// Checks the struct offsets against the running kernel, on any architecture.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findLack } from "../../../../test/support/programs/programs.ts";
import * as layout from "./kernel-layout.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-layout-"));
after(() => rmSync(folder, { recursive: true }));

const HEADERS = [
  "sys/socket.h netinet/in.h netinet/ip_icmp.h netinet/icmp6.h poll.h time.h errno.h",
  "linux/errqueue.h linux/filter.h linux/net_tstamp.h linux/sock_diag.h sys/eventfd.h sys/mman.h",
  "linux/if_packet.h linux/if_ether.h net/if_arp.h",
];

/** Maps a C expression to the number in kernel-layout.ts. */
const CLAIMS: Readonly<Record<string, number>> = {
  "offsetof(struct mmsghdr, msg_hdr.msg_name)": layout.MMSGHDR.name,
  "offsetof(struct mmsghdr, msg_hdr.msg_namelen)": layout.MMSGHDR.nameLength,
  "offsetof(struct mmsghdr, msg_hdr.msg_iov)": layout.MMSGHDR.vectors,
  "offsetof(struct mmsghdr, msg_hdr.msg_iovlen)": layout.MMSGHDR.vectorCount,
  "offsetof(struct mmsghdr, msg_hdr.msg_control)": layout.MMSGHDR.control,
  "offsetof(struct mmsghdr, msg_hdr.msg_controllen)": layout.MMSGHDR.controlLength,
  "offsetof(struct mmsghdr, msg_hdr.msg_flags)": layout.MMSGHDR.flags,
  "offsetof(struct mmsghdr, msg_len)": layout.MMSGHDR.movedLength,
  "sizeof(struct mmsghdr)": layout.MMSGHDR.size,
  "offsetof(struct iovec, iov_base)": layout.IOVEC.start,
  "offsetof(struct iovec, iov_len)": layout.IOVEC.length,
  "sizeof(struct iovec)": layout.IOVEC.size,
  "offsetof(struct cmsghdr, cmsg_len)": layout.CMSGHDR.length,
  "offsetof(struct cmsghdr, cmsg_level)": layout.CMSGHDR.level,
  "offsetof(struct cmsghdr, cmsg_type)": layout.CMSGHDR.type,
  "CMSG_LEN(0)": layout.CMSGHDR.data,
  "offsetof(struct pollfd, revents)": layout.POLLFD.revents,
  "sizeof(struct pollfd)": layout.POLLFD.size,
  "offsetof(struct timespec, tv_nsec)": layout.TIMESPEC.nanoseconds,
  "sizeof(struct timespec)": layout.TIMESPEC.size,
  "offsetof(struct sockaddr_in, sin_addr)": layout.SOCKADDR_IN.address,
  "sizeof(struct sockaddr_in)": layout.SOCKADDR_IN.size,
  "offsetof(struct sockaddr_in6, sin6_addr)": layout.SOCKADDR_IN6.address,
  "sizeof(struct sockaddr_in6)": layout.SOCKADDR_IN6.size,
  "offsetof(struct sockaddr_ll, sll_protocol)": layout.SOCKADDR_LL.protocol,
  "offsetof(struct sockaddr_ll, sll_hatype)": layout.SOCKADDR_LL.hardware,
  "offsetof(struct sockaddr_ll, sll_pkttype)": layout.SOCKADDR_LL.packetType,
  "sizeof(struct sockaddr_ll)": layout.SOCKADDR_LL.size,
  AF_PACKET: layout.AF_PACKET,
  ETH_P_ALL: layout.ETH_P_ALL,
  PACKET_OUTGOING: layout.PACKET_OUTGOING,
  ARPHRD_LOOPBACK: layout.ARPHRD_LOOPBACK,
  "offsetof(struct sock_fprog, filter)": layout.SOCK_FPROG.filters,
  "sizeof(struct sock_fprog)": layout.SOCK_FPROG.size,
  "sizeof(struct sock_filter)": layout.SOCK_FILTER_SIZE,
  "offsetof(struct sock_extended_err, ee_origin)": layout.EXTENDED_ERROR.origin,
  "offsetof(struct sock_extended_err, ee_type)": layout.EXTENDED_ERROR.type,
  "offsetof(struct sock_extended_err, ee_code)": layout.EXTENDED_ERROR.code,
  "offsetof(struct sock_extended_err, ee_info)": layout.EXTENDED_ERROR.info,
  "offsetof(struct sock_extended_err, ee_data)": layout.EXTENDED_ERROR.data,
  "sizeof(struct sock_extended_err)": layout.EXTENDED_ERROR.size,
  AF_INET: layout.AF_INET,
  AF_INET6: layout.AF_INET6,
  IPPROTO_TCP: layout.IPPROTO_TCP,
  IPPROTO_UDP: layout.IPPROTO_UDP,
  SOCK_STREAM: layout.SOCK_STREAM,
  SOCK_DGRAM: layout.SOCK_DGRAM,
  SOCK_RAW: layout.SOCK_RAW,
  SOCK_NONBLOCK: layout.SOCK_NONBLOCK,
  SOCK_CLOEXEC: layout.SOCK_CLOEXEC,
  SOL_SOCKET: layout.SOL_SOCKET,
  SO_SNDBUF: layout.SO_SNDBUF,
  SO_RCVBUF: layout.SO_RCVBUF,
  SO_SNDBUFFORCE: layout.SO_SNDBUFFORCE,
  SO_RCVBUFFORCE: layout.SO_RCVBUFFORCE,
  SO_ATTACH_FILTER: layout.SO_ATTACH_FILTER,
  SO_TIMESTAMPING: layout.SO_TIMESTAMPING,
  SO_MEMINFO: layout.SO_MEMINFO,
  SK_MEMINFO_DROPS: layout.SK_MEMINFO_DROPS_WORD,
  SK_MEMINFO_VARS: layout.SK_MEMINFO_WORDS,
  IP_TTL: layout.IP_TTL,
  IP_RECVERR: layout.IP_RECVERR,
  IP_RECVTTL: layout.IP_RECVTTL,
  IP_MTU_DISCOVER: layout.IP_MTU_DISCOVER,
  IP_PMTUDISC_PROBE: layout.IP_PMTUDISC_PROBE,
  IPV6_UNICAST_HOPS: layout.IPV6_UNICAST_HOPS,
  IPV6_MTU_DISCOVER: layout.IPV6_MTU_DISCOVER,
  IPV6_RECVERR: layout.IPV6_RECVERR,
  IPV6_RECVHOPLIMIT: layout.IPV6_RECVHOPLIMIT,
  IPV6_HOPLIMIT: layout.IPV6_HOPLIMIT,
  MSG_DONTWAIT: layout.MSG_DONTWAIT,
  MSG_ERRQUEUE: layout.MSG_ERRQUEUE,
  POLLIN: layout.POLLIN,
  POLLERR: layout.POLLERR,
  EFD_NONBLOCK: layout.EFD_NONBLOCK,
  EFD_CLOEXEC: layout.EFD_CLOEXEC,
  CLOCK_REALTIME: layout.CLOCK_REALTIME,
  "PROT_READ | PROT_WRITE": layout.PROT_READ_WRITE,
  "MAP_PRIVATE | MAP_ANONYMOUS": layout.MAP_PRIVATE_ANONYMOUS,
  SOF_TIMESTAMPING_TX_SOFTWARE: layout.SOF_TIMESTAMPING_TX_SOFTWARE,
  SOF_TIMESTAMPING_RX_SOFTWARE: layout.SOF_TIMESTAMPING_RX_SOFTWARE,
  SOF_TIMESTAMPING_SOFTWARE: layout.SOF_TIMESTAMPING_SOFTWARE,
  SOF_TIMESTAMPING_OPT_ID: layout.SOF_TIMESTAMPING_OPT_ID,
  SOF_TIMESTAMPING_OPT_TSONLY: layout.SOF_TIMESTAMPING_OPT_TSONLY,
  SO_EE_ORIGIN_LOCAL: layout.SO_EE_ORIGIN_LOCAL,
  SO_EE_ORIGIN_ICMP: layout.SO_EE_ORIGIN_ICMP,
  SO_EE_ORIGIN_ICMP6: layout.SO_EE_ORIGIN_ICMP6,
  SO_EE_ORIGIN_TIMESTAMPING: layout.SO_EE_ORIGIN_TIMESTAMPING,
  ...layout.ERRNO,
};

test("every offset, size and constant matches the C compiler of this machine", {
  skip: findLack("cc"),
}, () => {
  const includes = HEADERS.join(" ")
    .split(" ")
    .map((name) => `#include <${name}>`);
  const checks = Object.entries(CLAIMS).map(
    ([expression, value]) => `_Static_assert((${expression}) == ${value}, "${expression}");`,
  );
  const top = ["#define _GNU_SOURCE", "#include <stddef.h>"];
  const source = join(folder, "layout.c");
  writeFileSync(source, [...top, ...includes, ...checks, ""].join("\n"));
  const compiled = spawnSync("cc", ["-fsyntax-only", source], { encoding: "utf8" });
  assert.equal(compiled.stderr, "");
  assert.equal(compiled.status, 0);
});
