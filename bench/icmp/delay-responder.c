/* Answers every ICMP echo request it receives after a fixed delay, from the address that was asked.
 * Runs in a network namespace whose kernel does not answer itself.
 * Usage: delay-responder DELAY_MS LIFETIME_SECONDS */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define RING 65536
#define PACKET_BYTES 256

struct held {
  int64_t due_ns;
  int length;
  char data[PACKET_BYTES];
};
static struct held ring[RING];

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint16_t checksum(const void *data, int length) {
  const uint16_t *half_words = data;
  uint32_t sum = 0;
  for (int i = 0; i < length / 2; i++) sum += half_words[i];
  if (length & 1) sum += ((const uint8_t *)data)[length - 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

static void reply(int fd, struct held *packet) {
  struct iphdr *ip = (struct iphdr *)packet->data;
  int header = ip->ihl * 4;
  struct icmphdr *icmp = (struct icmphdr *)(packet->data + header);
  uint32_t asked = ip->daddr;
  ip->daddr = ip->saddr;
  ip->saddr = asked;
  ip->ttl = 64;
  ip->check = 0;
  icmp->type = 0;
  icmp->checksum = 0;
  icmp->checksum = checksum(icmp, packet->length - header);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = ip->daddr};
  sendto(fd, packet->data, (size_t)packet->length, 0, (struct sockaddr *)&to, sizeof to);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int64_t delay_ns = atoll(argv[1]) * 1000000;
  int64_t end_ns = now_ns() + atoll(argv[2]) * 1000000000;
  int in = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_ICMP);
  int out = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  int bytes = 16 << 20;
  setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  uint32_t head = 0, tail = 0;
  printf("ready\n");
  fflush(stdout);
  while (now_ns() < end_ns) {
    struct timespec wait = {0, 100000000};
    if (head != tail) {
      int64_t left = ring[head % RING].due_ns - now_ns();
      wait.tv_nsec = left < 0 ? 0 : left > 100000000 ? 100000000 : left;
    }
    struct pollfd entry = {in, POLLIN, 0};
    ppoll(&entry, 1, &wait, NULL);
    while (head != tail && ring[head % RING].due_ns <= now_ns()) reply(out, &ring[head++ % RING]);
    for (int i = 0; i < 64 && tail - head < RING; i++) {
      struct held *next = &ring[tail % RING];
      next->length = (int)recv(in, next->data, PACKET_BYTES, 0);
      if (next->length < 28) break;
      struct iphdr *ip = (struct iphdr *)next->data;
      if (((struct icmphdr *)(next->data + ip->ihl * 4))->type != 8) continue;
      next->due_ns = now_ns() + delay_ns;
      tail++;
    }
  }
  return 0;
}
