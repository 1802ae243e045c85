import express from "express4";
import { run } from "./run.mjs";
run(express);
