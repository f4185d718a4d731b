/** How long the suite waits for anything: more on a busy machine, measured once when the suite starts. */
import { availableParallelism, loadavg } from "node:os";
import { performance } from "node:perf_hooks";

const MOST = 8;
const WORK = 200; // milliseconds of processor time
const IDLE = 30_000; // milliseconds that suffice on an idle machine

/** How many times slower than an idle machine this one is, between 1 and MOST. */
export const slowness = Math.min(MOST, Math.max(1, loadavg()[0] / availableParallelism(), contention()));

/** Milliseconds that any one wait may take. MEMLSP_E2E_PATIENCE (seconds) sets them by hand. */
export const patience = process.env.MEMLSP_E2E_PATIENCE ? 1_000 * Number(process.env.MEMLSP_E2E_PATIENCE) : Math.round(IDLE * slowness);

/** How many times longer than its processor time a piece of work takes: others want the processor too. */
function contention() {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const spent = () => {
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1_000;
  };
  while (spent() < WORK);
  return (performance.now() - began) / WORK;
}
