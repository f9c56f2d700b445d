// The worker thread's entry: connections are made and timed here.

import { serveCalls } from "../../network/thread-calls.ts";
import { type ExchangeOrder, type ExchangeResult, exchange } from "./exchange.ts";

serveCalls<ExchangeOrder, ExchangeResult>(exchange);
