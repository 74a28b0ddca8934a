from assay import lean_imports

lean_imports.load_transformers()
