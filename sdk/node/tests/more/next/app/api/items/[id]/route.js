export async function GET(_request, { params }) {
  const { id } = await params;
  console.log("item", id);
  const told = await fetch(process.env.STOCK, { cache: "no-store" });
  return Response.json({ id, stock: await told.json() });
}
