// Stores a model's 32-bit weights in 16 bits, as the page holds them.
//
//   node half.mjs RUN/best FOLDER      writes FOLDER/model.safetensors, copies config and vocabularies
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';

/** To IEEE's binary16, to the nearest, ties to even; too large a number is refused. */
function half(x) {
  const sign = Object.is(Math.sign(x), -1) || Object.is(x, -0) ? 0x8000 : 0;
  const size = Math.abs(x);
  if (!(size < 65520)) throw new Error(`${x} is too large for 16 bits`);
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const scaled = size / 2 ** (exponent - 10); // below 2048
  const whole = Math.floor(scaled);
  const rest = scaled - whole;
  const rounded = whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0);
  return sign | (rounded < 1024 ? rounded : ((exponent + 14) << 10) + rounded);
}

const [run, folder] = process.argv.slice(2);
const file = await readFile(`${run}/model.safetensors`);
const length = Number(file.readBigUInt64LE(0));
const header = JSON.parse(file.subarray(8, 8 + length).toString());
const tied = Object.fromEntries(Object.entries(header.__metadata__ ?? {}).filter(([key]) => !key.startsWith('crc32c')));
const small = Object.keys(tied).length ? { __metadata__: tied } : {};
const parts = [];
let end = 0;
delete header.__metadata__;
for (const [name, { dtype, shape, data_offsets: [begin, stop] }] of Object.entries(header)) {
  if (dtype !== 'F32') throw new Error(`${name} is ${dtype}, not F32`);
  const data = file.subarray(8 + length + begin, 8 + length + stop);
  const part = Buffer.alloc(data.length / 2);
  for (let i = 0; i < data.length; i += 4) part.writeUInt16LE(half(data.readFloatLE(i)), i / 2);
  parts.push(part);
  small[name] = { dtype: 'F16', shape, data_offsets: [end, (end += part.length)] };
}
let text = JSON.stringify(small);
text += ' '.repeat((8 - (text.length % 8)) % 8);
const size = Buffer.alloc(8);
size.writeBigUInt64LE(BigInt(text.length));
await writeFile(`${folder}/model.safetensors`, Buffer.concat([size, Buffer.from(text), ...parts]));
for (const name of ['config.json', 'source.vocab', 'target.vocab']) await copyFile(`${run}/${name}`, `${folder}/${name}`);
