// Certificates for the tests of pins, written in DER: Node reads certificates and makes none.
import { createHash, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  key: string;
  cert: string;
  /** The SHA-256 of the key's SubjectPublicKeyInfo in base64url. */
  pin: string;
}

const der = (tag: number, ...parts: Uint8Array[]): Uint8Array => {
  const body = Buffer.concat(parts);
  const n = body.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
  return new Uint8Array([tag, ...length, ...body]);
};
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const ecdsaWithSHA256 = der(0x30, der(0x06, new Uint8Array([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));
const commonName = new Uint8Array([0x55, 0x04, 0x03]);
const named = (name: string): Uint8Array =>
  der(0x30, der(0x31, der(0x30, der(0x06, commonName), der(0x0c, bytes(name)))));

/** certificate makes a key and a certificate for it: signed by itself, for another name, and over since 2021. */
export function certificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const info = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
  const name = named("another.example");
  const validity = der(0x30, der(0x17, bytes("200101000000Z")), der(0x17, bytes("210101000000Z")));
  const body = der(
    0x30,
    der(0xa0, der(0x02, new Uint8Array([2]))),
    der(0x02, new Uint8Array([1])),
    ecdsaWithSHA256,
    name,
    validity,
    name,
    info,
  );
  const signature = new Uint8Array(sign("sha256", body, privateKey));
  const whole = der(0x30, body, ecdsaWithSHA256, der(0x03, new Uint8Array([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${Buffer.from(whole).toString("base64")}\n-----END CERTIFICATE-----\n`,
    pin: createHash("sha256").update(info).digest("base64url"),
  };
}
