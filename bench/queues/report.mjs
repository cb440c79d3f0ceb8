import { verdict } from "../postgres/report.mjs";
import { median, printRows, ratios, spread } from "../report.mjs";

const LEAST = 0.8;
const BY_HAND = " by hand";

/**
 * Prints these columns of each variant, the CPU time of its two processes and of the servers, and its speed and CPU time relative
 * to the same by hand. A column has a title, a figure and a number of decimals.
 */
export function printComparison(title, samples, columns) {
  console.log(`\n${title}`);
  const shown = [
    ...columns,
    ["CPU us", ({ cpuUs }) => cpuUs, 0],
    ["CPU of servers us", ({ serversUs }) => serversUs, 0],
  ];
  printRows([
    ["variant", ...shown.map(([name]) => name), "speed ratio to by hand", "CPU ratio", ""],
    ...[...samples].map(([name, own]) => [
      name,
      ...shown.map(([, figure, decimals]) => range(own.map(figure), decimals)),
      ...compared(own, samples.get(`${name}${BY_HAND}`)),
    ]),
  ]);
}

/** Speed is at least 0.8 of by hand if it is met. CPU is how many times as much time ours takes. */
function compared(own, byHand) {
  if (byHand === undefined) return ["", "", ""];
  const speeds = ratios(byHand, own, "wallUs");
  return [
    spread(speeds),
    spread(ratios(own, byHand, "cpuUs")),
    `>= ${LEAST.toFixed(2)} ${verdict(median(speeds) >= LEAST)}`,
  ];
}

function range(values, decimals) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(decimals));
  return `${median(values).toFixed(decimals)} (${least}-${most})`;
}
