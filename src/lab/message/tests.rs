mod secrecy;
