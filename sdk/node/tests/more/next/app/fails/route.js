export const dynamic = "force-dynamic";
export async function GET() {
  throw new TypeError("no price");
}
