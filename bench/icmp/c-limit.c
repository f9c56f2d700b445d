/* The limit to compare with: the same echoes, sent and received by a plain C loop that keeps no
 * state beyond counters, with the same kernel features (filters, receive and transmit stamps).
 * Usage: c-limit TARGETS ECHOES_PER_TARGET ; targets are 127.1.0.0 + 1 and on. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define BATCH 64
#define WINDOW 1024
#define PACKET_BYTES 64

static char out_data[BATCH][PACKET_BYTES], in_data[BATCH][192], in_control[BATCH][256];
static struct sockaddr_in out_name[BATCH], in_name[BATCH];
static struct iovec out_vector[BATCH], in_vector[BATCH];
static struct mmsghdr out_message[BATCH], in_message[BATCH];

static uint16_t checksum(const uint16_t *half_words, int count) {
  uint32_t sum = 0;
  for (int i = 0; i < count; i++) sum += half_words[i];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

static void prepare(void) {
  for (int i = 0; i < BATCH; i++) {
    out_name[i].sin_family = AF_INET;
    out_vector[i] = (struct iovec){out_data[i], PACKET_BYTES};
    out_message[i].msg_hdr.msg_name = &out_name[i];
    out_message[i].msg_hdr.msg_namelen = sizeof out_name[i];
    out_message[i].msg_hdr.msg_iov = &out_vector[i];
    out_message[i].msg_hdr.msg_iovlen = 1;
    in_vector[i] = (struct iovec){in_data[i], sizeof in_data[i]};
    in_message[i].msg_hdr.msg_name = &in_name[i];
    in_message[i].msg_hdr.msg_iov = &in_vector[i];
    in_message[i].msg_hdr.msg_iovlen = 1;
    in_message[i].msg_hdr.msg_control = in_control[i];
  }
}

static int receive(int fd, int flags) {
  for (int i = 0; i < BATCH; i++) {
    in_message[i].msg_hdr.msg_namelen = sizeof in_name[i];
    in_message[i].msg_hdr.msg_controllen = sizeof in_control[i];
  }
  return recvmmsg(fd, in_message, BATCH, flags | MSG_DONTWAIT, NULL);
}

static uint64_t stamp_of(const struct msghdr *header) {
  struct msghdr copy = *header;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&copy); c != NULL; c = CMSG_NXTHDR(&copy, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING) continue;
    const struct timespec *stamp = (const struct timespec *)CMSG_DATA(c);
    return (uint64_t)stamp->tv_sec * 1000000000u + (uint64_t)stamp->tv_nsec;
  }
  return 0;
}

static int open_socket(uint16_t ident) {
  int fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_ICMP);
  if (fd < 0) return -1;
  uint32_t blocked = ~(1u << 0 | 1u << 3 | 1u << 11 | 1u << 12);
  setsockopt(fd, 255, 1, &blocked, sizeof blocked);
  struct sock_filter code[] = {{0xb1, 0, 0, 0}, {0x48, 0, 0, 4}, {0x15, 0, 1, ident},
                               {0x06, 0, 0, 0x40000}, {0x06, 0, 0, 0}};
  struct sock_fprog program = {5, code};
  setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  int bytes = 8 << 20;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
  int stamps = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
               SOF_TIMESTAMPING_SOFTWARE;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps);
  return fd;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  uint32_t targets = (uint32_t)atoi(argv[1]);
  uint32_t total = targets * (uint32_t)atoi(argv[2]);
  uint16_t ident = 0x5a17;
  int fd = open_socket(ident);
  if (fd < 0) {
    perror("socket");
    return 1;
  }
  prepare();
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  uint32_t sent = 0, received = 0, stamped = 0;
  uint64_t stamp_sum = 0;
  int idle_polls = 0;
  while (received < total && idle_polls < 20) {
    while (sent < total && sent - received < WINDOW) {
      uint32_t count = total - sent < BATCH ? total - sent : BATCH;
      for (uint32_t i = 0; i < count; i++) {
        uint32_t number = sent + i;
        uint16_t *packet = (uint16_t *)out_data[i];
        packet[0] = 8;
        packet[1] = 0;
        packet[2] = htons(ident);
        packet[3] = htons((uint16_t)number);
        memcpy(packet + 4, &number, sizeof number);
        packet[1] = checksum(packet, PACKET_BYTES / 2);
        out_name[i].sin_addr.s_addr = htonl(0x7f010001u + number % targets);
      }
      int done = sendmmsg(fd, out_message, count, 0);
      if (done < 0) break;
      sent += (uint32_t)done;
    }
    struct pollfd poll_entry = {fd, POLLIN, 0};
    if (poll(&poll_entry, 1, 100) == 0) idle_polls++;
    int count;
    while ((count = receive(fd, MSG_ERRQUEUE)) > 0)
      for (int i = 0; i < count; i++) stamped += stamp_of(&in_message[i].msg_hdr) != 0;
    while ((count = receive(fd, 0)) > 0)
      for (int i = 0; i < count; i++) {
        stamp_sum += stamp_of(&in_message[i].msg_hdr);
        received++;
      }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  double wall = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
  printf("{\"sent\":%u,\"received\":%u,\"transmitStamps\":%u,\"wallSeconds\":%.6f,"
         "\"cpuSeconds\":%.6f,\"stampSum\":%llu}\n",
         sent, received, stamped, wall, cpu, (unsigned long long)(stamp_sum % 1000));
  return 0;
}
