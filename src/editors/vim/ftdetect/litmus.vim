" Files of litmus tests.
autocmd BufRead,BufNewFile *.litmus setfiletype litmus
