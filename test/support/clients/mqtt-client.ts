/** MQTT client over WebSocket that connects like the public command-line tool. */
import { once } from "node:events";
import mqtt, { type IConnackPacket, type ISubackPacket, type Packet } from "mqtt-packet";
import { WebSocket } from "ws";
import { waitUntil } from "../time/wait-until.ts";

export interface MqttMessage {
  readonly topic: string;
  readonly payload: string;
}

export class MqttClient {
  readonly messages: MqttMessage[] = [];
  readonly #socket: WebSocket;
  readonly #packets: Packet[] = [];
  #isClosed = false;
  #messageId = 0;

  constructor(url: string) {
    const address = `${url.replace(/^http/, "ws")}/?authenticationScheme=userApiKey`;
    this.#socket = new WebSocket(address, "mqtt");
    const parser = mqtt.parser({ protocolVersion: 4 });
    parser.on("packet", (packet) => {
      if (packet.cmd !== "publish") this.#packets.push(packet);
      else this.messages.push({ topic: packet.topic, payload: packet.payload.toString() });
    });
    this.#socket.on("message", (data) => parser.parse(data as Buffer));
    this.#socket.on("close", () => {
      this.#isClosed = true;
    });
    this.#socket.on("error", () => {
      this.#isClosed = true;
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(packet: Packet): void {
    this.#socket.send(mqtt.generate(packet));
  }

  async #receive<Received extends Packet>(cmd: Received["cmd"]): Promise<Received | null> {
    const find = () => this.#packets.findIndex((packet) => packet.cmd === cmd);
    await waitUntil(`${cmd} arrives`, () => find() >= 0 || this.#isClosed);
    return find() < 0 ? null : (this.#packets.splice(find(), 1)[0] as Received);
  }

  /**
   * Signs in and returns the broker's return code; `null` if the broker closed the connection
   * without one.
   */
  async signIn(username: string, password: string): Promise<number | null> {
    if (this.#socket.readyState !== WebSocket.OPEN) await once(this.#socket, "open");
    const clientId = `client-${Math.random()}`;
    const options = { protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 60 } as const;
    const password_ = Buffer.from(password);
    this.send({ cmd: "connect", ...options, clientId, username, password: password_ });
    return (await this.#receive<IConnackPacket>("connack"))?.returnCode ?? null;
  }

  /** Subscribes to a topic and returns whether the broker granted the subscription. */
  async subscribe(topic: string): Promise<boolean> {
    this.#messageId += 1;
    const subscriptions = [{ topic, qos: 0 as const }];
    this.send({ cmd: "subscribe", messageId: this.#messageId, subscriptions });
    const answer = await this.#receive<ISubackPacket>("suback");
    return answer !== null && answer.granted[0] !== 128;
  }

  /** Sends a ping and returns whether the broker responded. */
  async ping(): Promise<boolean> {
    this.send({ cmd: "pingreq" });
    return (await this.#receive("pingresp")) !== null;
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  /**
   * Closes the connection without a DISCONNECT packet, like a client whose machine is switched off.
   */
  disappear(): void {
    this.#socket.terminate();
  }

  async closed(): Promise<void> {
    await waitUntil("the broker closes the connection", () => this.#isClosed);
  }
}
