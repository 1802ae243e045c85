// Things that look like secrets, made up and put together here so that no scanner takes them for real ones.
const random = (length: number, alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"): string => {
  let out = "";
  for (let i = 0; i < length; i++) out += alphabet[(i * 31 + length * 17 + out.length * 7) % alphabet.length];
  return out;
};
const base64 = (text: string): string => Buffer.from(text).toString("base64url");

/** A token as servers sign them; the same one wherever it is planted. */
export const JWT = [
  base64('{"alg":"HS256","typ":"JWT"}'),
  base64('{"sub":"user-4711","iss":"https://id.example","email":"ada@private.example"}'),
  random(43),
].join(".");

/** Each kind once, by name. */
export const SECRETS = {
  aws_key: `AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  github_token: `ghp_${random(36)}`,
  gitlab_token: `glpat-${random(20)}`,
  slack_token: `xoxb-${random(12, "1234567890")}-${random(24)}`,
  openai_key: `sk-proj-${random(40)}`,
  anthropic_key: `sk-ant-api03-${random(40)}`,
  stripe_key: `sk_live_${random(24)}`,
  google_key: `AIza${random(35)}`,
  jwt: JWT,
  private_key: `-----BEGIN PRIVATE KEY-----\n${random(64)}\n-----END PRIVATE KEY-----`,
  basic: `Basic ${Buffer.from(`ada:${random(12)}`).toString("base64")}`,
  bearer: `Bearer ${random(33)}`,
  card: "4111 1111 1111 1111",
  ssn: "512-34-6789",
  password_field: `pw-${random(15)}`,
  api_key_field: `ak-${random(17)}`,
  session_cookie: `sess-${random(21)}`,
  csrf_header: `cs-${random(19)}`,
  url_token: `ut-${random(23)}`,
  url_credentials: `uc-${random(14)}`,
  form_secret: `fs-${random(13)}`,
  typed_password: `tp-${random(16)}`,
  otp: `otp-${random(11)}`,
  entropy: random(44),
  client_secret: `cl-${random(18)}`,
} as const;

/** What of a secret must be found nowhere: its telling part, without prefixes that pseudonyms may name. */
export function needles(): [string, string][] {
  return Object.entries(SECRETS).map(([name, value]) => {
    if (name === "jwt") return [name, value.split(".")[1]!];
    if (name === "private_key") return [name, value.split("\n")[1]!];
    return [name, value.replace(/^(Basic|Bearer) /, "")];
  });
}
