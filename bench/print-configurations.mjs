import { configurationsOf, rowOf } from "./configurations.mjs";

const WIDTH = 100;

/** Creates a function that prints the configurations of contenders, each row of this table only once. */
export function createConfigurationPrinter(heading) {
  const configurations = configurationsOf(heading);
  const printed = new Set();
  return (contenders) => {
    const described = new Set(contenders.map(({ name }) => rowOf(name, configurations)));
    const rows = [...described].filter((row) => !printed.has(row));
    if (rows.length === 0) return;
    console.log("\nConfigurations, from bench/README.md:");
    const indent = Math.max(...rows.map((row) => row.length)) + 2;
    for (const row of rows) {
      const [first, ...others] = wrapped(configurations.get(row), WIDTH - indent - 2);
      console.log(`  ${row.padEnd(indent)}${first}`);
      for (const line of others) console.log(`  ${" ".repeat(indent)}${line}`);
      printed.add(row);
    }
  };
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= width || lines.at(-1) === "") lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}
