import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

// 1980-01-01 00:00 in DOS form. A fixed time makes the archive the same for the same files.
const DOS_DATE = 0x0021;
const DOS_TIME = 0;
const DEFLATE = 8;
const UTF8_NAMES = 0x0800;

/**
 * Packs the files below a folder into a zip archive: sorted by name, fixed times, no extra fields,
 * so that equal input gives equal bytes.
 *
 * @param folder {string}
 * @returns {Promise<Buffer>}
 */
export async function zipFolder(folder) {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
  const bodies = [];
  const directory = [];
  let offset = 0;
  for (const name of names) {
    const plain = await readFile(join(folder, name));
    const packed = deflateRawSync(plain, { level: 9 });
    const path = Buffer.from(name);
    const fields = commonFields(plain, packed, path);
    const local = Buffer.concat([u32(0x04034b50), fields, path]);
    directory.push(
      Buffer.concat([u32(0x02014b50), u16(20), fields, u16(0), u16(0), u16(0), u32(0), u32(offset), path]),
    );
    bodies.push(local, packed);
    offset += local.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(names.length),
    u16(names.length),
    u32(index.length),
    u32(offset),
    u16(0),
  ]);
  return Buffer.concat([...bodies, index, end]);
}

function commonFields(plain, packed, path) {
  return Buffer.concat([
    u16(20),
    u16(UTF8_NAMES),
    u16(DEFLATE),
    u16(DOS_TIME),
    u16(DOS_DATE),
    u32(crc(plain)),
    u32(packed.length),
    u32(plain.length),
    u16(path.length),
    u16(0),
  ]);
}

// zlib.crc32 exists since Node 20.15.
const crc = (bytes) => crc32(bytes) >>> 0;

function u16(n) {
  const b = Buffer.alloc(2);
  b.writeUInt16LE(n);
  return b;
}

function u32(n) {
  const b = Buffer.alloc(4);
  b.writeUInt32LE(n);
  return b;
}
